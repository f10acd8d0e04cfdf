// Where a delivery goes before it is answered: into the file of `--append` and then, waiting for no reader, to stdout;
// or without a file to stdout, where it must be taken.

import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { isJsonForm } from '../../config/choices.ts';
import type { DurableLog } from '../../fs/durable-log.ts';
import { rawCell } from '../../output/cell.ts';
import { pick, valueAt } from '../../output/columns.ts';
import { colorsFor } from '../../output/color.ts';
import type { DeliveryRecord } from './delivery.ts';

/** Characters that wait for a slow reader of stdout; further lines are in the file alone. */
const MAX_UNPRINTED = 8 * 1024 * 1024;

/**
 * `put` resolves when the record is safe, and rejects where it is not. `ended` resolves at a signal, or when stdout is
 * closed and there is no file, and rejects when that cannot be printed. `counts` are of records that are in the file,
 * and not on stdout.
 */
export async function createStore(
  call: LocalCall,
  log: DurableLog | undefined,
  counts: { notPrinted: number },
) {
  const { stdout } = call.runtime;
  const lineOf = await lineFormat(call);
  const { ended, stop, fail } = endOf(call.runtime);
  const print = printer(call.runtime, counts);
  const put = async (record: DeliveryRecord): Promise<void> => {
    if (log !== undefined) {
      await log.append(`${toJson(record)}\n`);
      return print(lineOf(record));
    }
    try {
      await stdout.write(lineOf(record));
    } catch (error) {
      fail(error as Error);
      throw error;
    }
    if (stdout.gone !== true) return;
    stop();
    throw new Error('stdout is closed, and there is no --append');
  };
  return { put, ended };
}

/** Prints lines without waiting for a reader. */
function printer({ stdout, stderr }: Runtime, counts: { notPrinted: number }) {
  let waiting = 0;
  const print = async (line: string) => {
    waiting += line.length;
    try {
      await stdout.write(line);
    } catch (error) {
      if (counts.notPrinted++ === 0)
        await stderr.write(`webhooks: ${(error as Error).message}; the file has all of them\n`);
    } finally {
      waiting -= line.length;
    }
  };
  return (line: string): void => {
    if (waiting > MAX_UNPRINTED) counts.notPrinted++;
    else if (stdout.gone !== true) void print(line);
  };
}

/** When to stop listening: at a signal, or when it is asked for. */
function endOf({ signal }: Runtime) {
  let stop!: () => void;
  let fail!: (error: Error) => void;
  const ended = new Promise<void>((resolve, reject) => {
    stop = resolve;
    fail = reject;
  });
  // It may fail before it is waited for.
  ended.catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return { ended, stop, fail };
}

/** Of a word that came from outside. */
const MOST_CHARACTERS = 60;
const EVENT_WIDTH = 20;
const ID_WIDTH = 16;
const COLUMNS = ['receivedAt', 'event', 'postId'];

/** What makes the line of a record, with its end: for a person, as TSV, or the whole record as JSON. */
async function lineFormat({
  form,
  settings,
  runtime,
}: LocalCall): Promise<(record: DeliveryRecord) => string> {
  const { fields, utc } = settings;
  if (isJsonForm(form))
    return (record) => `${toJson(fields.length === 0 ? record : pick(record, fields))}\n`;
  if (form === 'tsv' || fields.length > 0)
    return (record) => {
      const cells = (fields.length === 0 ? COLUMNS : fields).map((path) => valueAt(record, path));
      const all = fields.length === 0 ? [...cells, verdictOf(record)] : cells;
      return `${all.map(rawCell).join('\t')}\n`;
    };
  const { good, bad, signs } = await colorsFor(runtime.stdout, settings, runtime);
  return (record) => {
    const { receivedAt, event, postId, verified } = record;
    const [paint, sign] = verified === true ? [good, signs.good] : [bad, signs.bad];
    const verdict = verdictOf(record);
    const cells = [
      utc ? receivedAt : new Date(receivedAt).toTimeString().slice(0, 'hh:mm:ss'.length),
      word(event).padEnd(EVENT_WIDTH),
      word(postId).padEnd(ID_WIDTH),
      ...(verdict === undefined ? [] : [paint(`${sign} ${verdict}`)]),
    ];
    return `${cells.join('  ').trimEnd()}\n`;
  };
}

const word = (text = '-') => excerpt(sanitizeLine(text), MOST_CHARACTERS);

/** Undefined without `--verify`. */
function verdictOf({ verified, reason }: DeliveryRecord): string | undefined {
  if (verified === undefined) return undefined;
  return verified ? 'verified' : `not verified: ${reason!}`;
}
