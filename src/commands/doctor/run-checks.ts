// Runs the checks of `doctor` one after the other, and shows what they found.

import { Failure, ifPossible, usageFailure } from '../../base/errors.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { readConfig } from '../../config/file.ts';
import { resolveSettings, withSettings } from '../../config/settings.ts';
import { colorsFor } from '../../output/color.ts';
import { MIN_TABLE_WIDTH } from '../../output/format.ts';
import { wrapText } from '../../output/wrap.ts';
import { formOf, printRows } from '../../output/write-result.ts';
import { type Check, type Finding, failed, checks, checkValues } from './checks.ts';

/** Throws `local_io` where a check fails, `usage` where a flag is wrong. */
export async function runChecks(call: LocalCall): Promise<void> {
  const { flags } = call;
  // None where they cannot be read, which the check of the settings files reports.
  const config = ifPossible(() => readConfig(call.runtime)) ?? {};
  const resolved = resolveSettings(flags, call.runtime.env, config);
  const { settings, faults, unknownContext } = resolved;
  const runtime = withSettings(call.runtime, settings);
  const lost = settings.contextFrom === 'flag' ? unknownContext : undefined;
  const typed = [...faults.filter(({ field }) => field.startsWith('-')), ...(lost ? [lost] : [])];
  if (typed.length > 0) throw usageFailure(typed, 'social doctor --help');
  const findings: Finding[] = [];
  const context = { runtime, settings, config, offline: flags['offline'] === true };
  for (const [name, check] of Object.entries(checks)) {
    if (name === 'settings') findings.push(...checkValues(resolved, context));
    findings.push(...(await runCheck(name, check, context)));
  }
  const shown = { ...call, runtime, settings, config, form: formOf(settings, runtime.stdout) };
  if (shown.form === 'table') await printFindings(findings, shown);
  else await printRows(shown, ['check', 'status', 'what', 'fix'], findings);
  const failing = findings.filter(({ status }) => status === 'fail').length;
  const what = `${failing} ${failing === 1 ? 'check' : 'checks'} failed`;
  if (failing > 0) throw new Failure('local_io', { what });
}

async function runCheck(
  name: string,
  check: Check,
  context: Parameters<Check>[0],
): Promise<readonly Finding[]> {
  const { signal } = context.runtime;
  try {
    const found = [await check(context)].flat();
    signal.throwIfAborted();
    return found.map((finding) => ({ check: name, ...finding }));
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
  const paint = { ok: tone.good, skip: tone.moving, warn: tone.moving, fail: tone.bad };
  const signs = { ok: tone.signs.good, skip: '-', warn: '!', fail: tone.signs.bad };
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
