// All examinations, one after the other, and what they found, told. Changes nothing, shows no secret, and connects
// to nothing unless it is asked to.

import { Failure, usageFailure } from '../../base/errors.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { type Config, readConfig } from '../../config/file.ts';
import { resolveSettings, withSettings } from '../../config/settings.ts';
import { MIN_TABLE_WIDTH } from '../../output/format.ts';
import { formOf, printRows } from '../../output/write-result.ts';
import { checkKeychain, checkService, checkTokenSource } from './check-auth.ts';
import { checkConfiguration, checkSandboxState, settingFault, checkState } from './check-files.ts';
import { checkCertificates, checkProxy } from './check-network.ts';
import {
  checkCache,
  checkClock,
  checkCompletion,
  checkProgram,
  checkTerminal,
} from './check-program.ts';
import type { Check, Finding, DoctorContext, CheckStatus } from './finding.ts';
import { wrapText } from '../../output/wrap.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { colorsFor } from '../../output/stream-colors.ts';

const offline: readonly Check[] = [
  checkProgram,
  checkConfiguration,
  checkService,
  checkTokenSource,
  checkKeychain,
  checkProxy,
  checkCertificates,
  checkTerminal,
  checkCompletion,
  checkState,
  checkSandboxState,
  checkCache,
  checkClock,
];

/** Examines everything and tells it. Throws `local_io` where something fails, `usage` where a flag is wrong. */
export async function runChecks(call: LocalCall, commandContext: CommandContext): Promise<void> {
  const { flags } = call;
  const config = readable(call.runtime);
  const { settings, faults, unknownContext } = resolveSettings(flags, call.runtime.env, config);
  const runtime = withSettings(call.runtime, settings);
  const wrong = [...faults, ...(unknownContext === undefined ? [] : [unknownContext])];
  const typed = wrong.filter(({ field }) => field.startsWith('-'));
  if (typed.length > 0) throw usageFailure(typed, 'social doctor --help');
  const patient = { runtime, settings, config, commandContext };
  const findings = [
    ...wrong.map(settingFault),
    ...(await examined(patient, flags['network'] === true)),
  ];
  const shown = { ...call, runtime, settings, form: formOf(settings, runtime.stdout) };
  if (shown.form === 'table') await write(findings, shown);
  else await printRows(shown, ['check', 'status', 'what', 'fix'], findings);
  const failing = findings.filter(({ status }) => status === 'fail').length;
  if (failing > 0)
    throw new Failure('local_io', {
      what: `${failing} ${failing === 1 ? 'thing does' : 'things do'} not work`,
      sent: false,
      retryable: false,
    });
}

/** All findings, in the order of the examinations. The service's word on the clock replaces this machine's own. */
async function examined(patient: DoctorContext, online: boolean): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const examine of offline) {
    found.push(...(await examine(patient)));
    patient.runtime.signal.throwIfAborted();
  }
  if (!online) return found;
  const { checkAnswers } = await import('./check-network.ts');
  const more = await checkAnswers(patient);
  const compared = more.some(({ check }) => check === 'clock');
  return [...found.filter(({ check }) => !compared || check !== 'clock'), ...more];
}

/** The settings; none where they cannot be read, which is a finding of its own. */
function readable(runtime: LocalCall['runtime']): Config {
  try {
    return readConfig(runtime);
  } catch {
    return {};
  }
}

/** A finding a line: sign, word, check, what was seen; the command below it, whole, for copying. */
async function write(
  findings: readonly Finding[],
  { runtime, settings }: LocalCall,
): Promise<void> {
  const { stdout, secrets } = runtime;
  const tone = await colorsFor(stdout, settings, runtime);
  const paint = { ok: tone.good, warn: tone.moving, fail: tone.bad };
  const signs: Readonly<Record<CheckStatus, string>> = {
    ok: tone.signs.good,
    warn: '!',
    fail: tone.signs.bad,
  };
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
