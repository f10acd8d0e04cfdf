// `--jq`: what a command writes on stdout as JSON goes through jq first. The same as `--json | jq -r`, with the
// expression compiled before anything is sent.

import { Failure, type Fault } from '../base/errors.ts';
import type { Jq } from './jq.ts';
import { parseJson, toJson } from '../base/json.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { OutputStream, Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';

const MOST_TOLD = 3;

/** What the work did whose result the filter fails on. */
export interface WorkDone {
  /** Whether a request left this machine. */
  readonly isSent: boolean;
  /** Whether it is a change; taken back as soon as it turns out that there was nothing to do. */
  isChange: boolean;
}

const CHANGE_DONE = 'the operation succeeded; do not run it again';

/** jq with the expression of the settings, or what is wrong with it. Nothing of either where none was given. */
export async function prepareFilter(
  { jq: expression }: Pick<Settings, 'jq'>,
  { stdout, signal, onEnd }: Pick<Runtime, 'stdout' | 'signal' | 'onEnd'>,
): Promise<{ readonly filter?: Jq; readonly faults: readonly Fault[] }> {
  if (expression === undefined) return { faults: [] };
  const { JQ_PACKAGE, startJq } = await import('./jq.ts');
  const filter = startJq(expression, stdout.isTTY, signal);
  if (filter === undefined) return { faults: [absent(JQ_PACKAGE)] };
  onEnd(filter.close);
  const fault = await filter.fault();
  if (fault === undefined) return { filter, faults: [] };
  return {
    faults: [{ field: '--jq', problem: `is not a valid jq expression: ${sanitizeLine(fault)}` }],
  };
}

const absent = (name: string): Fault => ({
  field: '--jq',
  problem: 'needs a package that was not installed with social',
  fix: `add it with npm install --global ${name}, or pipe --json into jq`,
});

/**
 * Runs `work` with a stdout that goes through the filter, if there is one. Throws the `Failure` of the work, or else
 * one of kind `local_io` where the filter failed on something, which says what is done all the same. Of a batch
 * (`isBatch`) the filter gets the data of each result; a result that failed, or has none, is written as it is.
 */
export async function withFilter(
  filter: Jq | undefined,
  done: WorkDone,
  runtime: Runtime,
  work: (runtime: Runtime) => Promise<void>,
  isBatch = false,
): Promise<void> {
  if (filter === undefined) return work(runtime);
  const { stdout, note } = runtime;
  const faults: string[] = [];
  const write = async (text: string): Promise<void> => {
    if (text === '') return;
    for (const part of isBatch ? resultParts(text) : [{ text, isFiltered: true }]) {
      if (!part.isFiltered) {
        await stdout.write(part.text);
        continue;
      }
      const applied = await filter.apply(part.text).catch((error: unknown) => {
        throw stopped(error, done);
      });
      faults.push(...applied.faults);
      applied.said.forEach(note);
      await stdout.write(applied.text);
    }
  };
  const through: OutputStream = {
    isTTY: stdout.isTTY,
    columns: stdout.columns,
    write,
    get gone() {
      return stdout.gone ?? false;
    },
    failure: () => (faults.length > 0 ? unfiltered(faults, done) : undefined),
  };
  try {
    await work({ ...runtime, stdout: through });
  } catch (error) {
    faults.slice(0, MOST_TOLD).forEach((fault) => note(`warning: --jq: ${fault}`));
    throw error;
  }
  if (faults.length > 0) throw unfiltered(faults, done);
}

/** The results of a batch, a line each, as the data that is filtered and the lines that stay as they are. */
function resultParts(
  lines: string,
): readonly { readonly text: string; readonly isFiltered: boolean }[] {
  const parts: { text: string; isFiltered: boolean }[] = [];
  for (const line of lines.split('\n').filter((each) => each !== '')) {
    const { ok, data } = parseJson(line) as { readonly ok?: boolean; readonly data?: unknown };
    const isFiltered = ok === true && data !== undefined;
    const text = `${isFiltered ? toJson(data) : line}\n`;
    const last = parts.at(-1);
    if (last?.isFiltered === isFiltered) last.text += text;
    else parts.push({ text, isFiltered });
  }
  return parts;
}

/** Who stops a filter that does not end must not take what was done before it for undone. */
function stopped(error: unknown, { isSent, isChange }: WorkDone): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(error.kind, {
    ...error.facts,
    what: 'stopped while jq was running',
    sent: isSent,
    ...(isChange ? { hint: CHANGE_DONE, outcome: 'accepted' } : {}),
  });
}

function unfiltered(faults: readonly string[], { isSent, isChange }: WorkDone): Failure {
  const [only] = faults;
  const several = faults.length > 1;
  const told = faults.slice(0, MOST_TOLD);
  return new Failure('local_io', {
    what: several
      ? `--jq failed on ${faults.length} results`
      : `--jq failed on the result: ${only!}`,
    why: [...(several ? told : []), ...(isChange ? [CHANGE_DONE] : [])],
    sent: isSent,
    ...(isChange ? { outcome: 'accepted' } : {}),
    retryable: false,
  });
}
