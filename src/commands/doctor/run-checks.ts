// Runs all checks of `doctor`, one after the other, and shows what they found. Changes nothing, shows no secret, and
// connects to nothing without --network.

import { Failure, ifPossible, usageFailure } from '../../base/errors.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { readConfig } from '../../config/file.ts';
import { resolveSettings, withSettings } from '../../config/settings.ts';
import { MIN_TABLE_WIDTH } from '../../output/format.ts';
import { formOf, printRows } from '../../output/write-result.ts';
import { checkKeychain, checkService, checkTokenSource } from './check-auth.ts';
import {
  checkConfiguration,
  checkSandboxState,
  checkState,
  contextFinding,
  settingFinding,
} from './check-files.ts';
import { checkAnswers, checkCertificates, checkProxy } from './check-network.ts';
import {
  checkCache,
  checkClock,
  checkCompletion,
  checkProgram,
  checkTerminal,
} from './check-program.ts';
import { type Check, type DoctorContext, failed, type Finding } from './finding.ts';
import { wrapText } from '../../output/wrap.ts';
import { colorsFor } from '../../output/color.ts';

/** The checks by their names, in the order in which they are shown. */
const checks: Readonly<Record<string, Check>> = {
  program: checkProgram,
  configuration: checkConfiguration,
  service: checkService,
  token: checkTokenSource,
  keychain: checkKeychain,
  proxy: checkProxy,
  certificates: checkCertificates,
  terminal: checkTerminal,
  completion: checkCompletion,
  state: checkState,
  sandbox: checkSandboxState,
  cache: checkCache,
  clock: checkClock,
};

/** Throws `local_io` where a check fails, `usage` where a flag is wrong. */
export async function runChecks(call: LocalCall): Promise<void> {
  const { flags } = call;
  // None where they cannot be read, which `checkConfiguration` reports.
  const config = ifPossible(() => readConfig(call.runtime)) ?? {};
  const { settings, faults, unknownContext } = resolveSettings(flags, call.runtime.env, config);
  const runtime = withSettings(call.runtime, settings);
  const isTyped = settings.contextFrom === 'flag';
  const lost = unknownContext === undefined ? [] : [unknownContext];
  const typed = [...faults.filter(({ field }) => field.startsWith('-')), ...(isTyped ? lost : [])];
  if (typed.length > 0) throw usageFailure(typed, 'social doctor --help');
  const context = { runtime, settings, config };
  const { platform } = runtime.program;
  const wrong = [
    ...faults.map((fault) => settingFinding(fault, platform)),
    ...lost.map((fault) => contextFinding(fault, settings, config, platform)),
  ];
  const findings: Finding[] = wrong.map((each) => ({ check: 'settings', ...each }));
  for (const [name, check] of Object.entries(checks))
    findings.push(...(await runCheck(name, check, context)));
  const online = flags['network'] === true ? await runCheck('network', checkAnswers, context) : [];
  // The comparison with the service's clock replaces the check without the network.
  const compared = online.some(({ check }) => check === 'clock');
  const all = [...findings.filter(({ check }) => !compared || check !== 'clock'), ...online];
  const shown = { ...call, runtime, settings, config, form: formOf(settings, runtime.stdout) };
  if (flags['report'] === true) {
    const { showReport } = await import('./setup-report.ts');
    return showReport(all, shown);
  }
  const rows = () => all.map(({ shared: _shared, ...finding }) => finding);
  if (shown.form === 'table') await printFindings(all, shown);
  else await printRows(shown, ['check', 'status', 'what', 'fix'], rows());
  const failing = all.filter(({ status }) => status === 'fail').length;
  const what = `${failing} ${failing === 1 ? 'check' : 'checks'} failed`;
  if (failing > 0) throw new Failure('local_io', { what });
}

async function runCheck(
  name: string,
  check: Check,
  context: DoctorContext,
): Promise<readonly Finding[]> {
  const { signal } = context.runtime;
  try {
    const found = [await check(context)].flat();
    signal.throwIfAborted();
    return found.map((each) => ({ check: name, ...each }));
  } catch (error) {
    if (signal.aborted) throw error;
    return [{ check: name, ...failed(error) }];
  }
}

/** A line for each finding: sign, status, check, what was seen; the command below it, whole, for copying. */
async function printFindings(
  findings: readonly Finding[],
  { runtime, settings }: LocalCall,
): Promise<void> {
  const { stdout, secrets } = runtime;
  const tone = await colorsFor(stdout, settings, runtime);
  const paint = { ok: tone.good, warn: tone.moving, fail: tone.bad };
  const signs = { ok: tone.signs.good, warn: '!', fail: tone.signs.bad };
  const width = Math.max(...findings.map(({ check }) => check.length));
  const columns = stdout.columns ?? 80;
  const start = 2 + 'warn'.length + 2;
  // A narrow terminal has no room beside the names: what was seen stands below them.
  const isNarrow = columns < MIN_TABLE_WIDTH;
  const margin = ' '.repeat(isNarrow ? start : start + width + 2);
  const lines = findings.flatMap(({ check, status, what, fix }) => {
    const head = paint[status](`${signs[status]} ${status.padEnd('warn'.length)}  `);
    const text = wrapText(sanitizeLine(secrets.mask(what)), columns, margin);
    return [
      ...(isNarrow
        ? [head + check, text]
        : [`${head}${check.padEnd(width)}  ${text.slice(margin.length)}`]),
      ...(fix === undefined
        ? []
        : [`${margin}${tone.strong('try:')} ${sanitizeLine(secrets.mask(fix))}`]),
    ];
  });
  await stdout.write(`${lines.join('\n')}\n`);
}
