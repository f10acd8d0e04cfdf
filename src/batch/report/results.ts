// The results of a batch on stdout as they come, whole lines at a time, and the failures of a human form on stderr.
// Gathers what comes in one turn into one write; tells when nobody takes it fast enough, or nobody at all.
import { isChange } from '../../api/operations/define-operation.ts';
import type { Field } from '../../api/operations/fields.ts';
import { Failure } from '../../base/errors.ts';
import { escapeInvisible, toJson } from '../../base/json.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import { type CellContext } from '../../output/cell.ts';
import { pick, toTableView } from '../../output/columns.ts';
import { asFailure, briefFailure, errorObject } from '../../output/error-report.ts';
import { toTable, toTsv } from '../../output/format.ts';
import { maskSecretFields } from '../../output/redact.ts';
import { formOf, redactedData, cellContextFor } from '../../output/write-result.ts';
import type { BatchItem } from '../read/validate-records.ts';
import {
  causeOf,
  causeOfTexts,
  causes,
  targetsTone,
  targetErrorLines,
  targetErrorsIn,
} from '../../client/causes.ts';
import type { BatchProgress } from './progress.ts';
import { wrapText } from '../../output/wrap.ts';
import type { CallContext, CallOutcome } from '../../client/call-context.ts';
import type { itemLine } from './item-line.ts';

export interface BatchResults {
  /** A result, or a failure, or what was waited for and ended badly: then both. */
  add(item: BatchItem, ended: Partial<CallOutcome>): void;
  /** Something to wait for where results pile up. */
  hold(): Promise<void> | undefined;
  /** Writes all that is left. Rejects with `Failure('local_io')` where that cannot be. */
  end(): Promise<void>;
}

export interface ResultOptions {
  readonly fields: readonly Field[];
  readonly progress: BatchProgress;
  /** Whether results are shown a line each; else as fully as a single one, in the order they were typed. */
  readonly many: boolean;
  /** Told once when stdout takes nothing more: its reader has gone, or it failed. */
  onBroken(why: Failure): void;
}

const CLOSED = 'closed_pipe';
const MOST_PENDING = 256 * 1024;
/** What platforms said, below the line of a post. */
const MOST_TROUBLES = 5;
const LONGEST_TROUBLE = 300;

type Shown = readonly [stdout: string | Promise<string>, stderr: string];
type Renderer = (item: BatchItem, ended: Partial<CallOutcome>) => Shown;

/** Shows the results of a call's batch. */
export async function batchResults(
  callContext: CallContext,
  options: ResultOptions,
): Promise<BatchResults> {
  const { runtime } = callContext;
  const out = outlet(callContext, options);
  const render = await renderer(callContext, options);
  const early = new Map<number, Shown>();
  let next = 1;
  let last = Promise.resolve();

  const tell = (line: string) => {
    if (line === '') return;
    options.progress.clear();
    void runtime.stderr.write(line);
    options.progress.redraw();
  };
  // Whole tables need a line between them; lines of a list do not.
  const isSpaced = !options.many && formOf(callContext.settings, runtime.stdout) === 'table';
  let gap = '';
  const put = (text: string) => {
    if (text === '') return;
    out.push(gap + text);
    if (isSpaced) gap = '\n';
  };
  const release = ([result, line]: Shown) => {
    if (typeof result === 'string') put(result);
    else last = last.then(async () => put(await result));
    tell(line);
  };
  return {
    add(item, ended) {
      const shown = render(item, ended);
      if (options.many) return release(shown);
      early.set(item.line, shown);
      for (let ready = early.get(next); ready !== undefined; ready = early.get(next)) {
        early.delete(next++);
        release(ready);
      }
    },
    hold: out.hold,
    end: async () => {
      for (const [, shown] of [...early].toSorted(([a], [b]) => a - b)) release(shown);
      await last;
      await out.end();
    },
  };
}

/** What an item puts on stdout and on stderr, in the form that was asked for. */
async function renderer(callContext: CallContext, options: ResultOptions): Promise<Renderer> {
  const { settings, runtime } = callContext;
  const form = formOf(settings, runtime.stdout);
  if (form === 'json' || form === 'ndjson') return inJson(callContext, options);
  if (form !== 'table') return forPeople(callContext, options);
  const reading = await cellContextFor(settings, runtime);
  // It knows how wide any text is, which costs as much to load as a bare node.
  const line = options.many ? (await import('./item-line.ts')).itemLine : undefined;
  return forPeople(callContext, options, { reading, line });
}

/** How results look at a terminal. */
interface Look {
  readonly reading: CellContext;
  /** Lays a result out as one line; without it each is a table. */
  readonly line: typeof itemLine | undefined;
}

function inJson({ paths, operation }: CallContext, { fields }: ResultOptions): Renderer {
  const all = paths.length === 0;
  const hasSecrets = fields.some(({ secret }) => secret);
  const isRead = !isChange(operation);
  return ({ line, input: own, text }, { data, json, failure }) => {
    const input = hasSecrets ? toJson(maskSecretFields(fields, own)) : escapeInvisible(text);
    const cause = reasonOf(failure, isRead || failure !== undefined ? data : undefined);
    const start = `{"line":${line},"input":${input},"ok":${failure === undefined},"exitCode":${failure?.exitCode ?? 0}${cause}`;
    const seen =
      data === undefined
        ? ''
        : `,"data":${all && json !== undefined ? json : toJson(all ? data : pick(data, paths))}`;
    if (failure === undefined) return [`${start}${seen}}\n`, ''];
    const { error } = errorObject(failure) as { error: object };
    return [`${start}${seen},"error":${toJson(error)}}\n`, ''];
  };
}

/** `,"cause":"…"` of what failed, or of a post that was read and has failed; nothing of what is well. */
function reasonOf(failure: Failure | undefined, data: unknown): string {
  const said = targetErrorsIn(data).map(({ error }) => error);
  if (failure === undefined && said.length === 0) return '';
  const cause = failure === undefined ? causeOfTexts(said) : causeOf(failure, said);
  return `,"cause":${toJson(causes[cause])}`;
}

/** Rows for a pipe; for a terminal a line an item where there are many of them, else its whole table. */
function forPeople(
  { operation, paths, runtime }: CallContext,
  { many }: ResultOptions,
  look?: Look,
): Renderer {
  const { stdout, stderr, secrets } = runtime;
  return (item, { data, failure }) => {
    const own = secrets.mask(String(Object.values(item.input)[0]));
    const id = sanitizeLine(own);
    const width = stdout.columns ?? 80;
    const rows = () => {
      if (data === undefined) return '';
      const view = toTableView(operation, redactedData(operation, data), paths);
      // Whoever names the fields gets these.
      if (look === undefined) return toTsv(view, paths.length === 0 ? own : undefined);
      const { reading, line: lineOf } = look;
      if (lineOf === undefined) return toTable(view, width, reading);
      // A read tells how the thing stands, not that it was read.
      const isRead = !isChange(operation);
      const status = failure !== undefined ? 'bad' : isRead ? targetsTone(data) : 'good';
      const troubles = isRead || failure !== undefined ? targetErrorLines(data) : [];
      const below = troubles.slice(0, MOST_TROUBLES).map((each) => {
        const line = sanitizeLine(excerpt(each, LONGEST_TROUBLE));
        return `${wrapText(line, width, '    ')}\n`;
      });
      const more = troubles.length - MOST_TROUBLES;
      return [
        lineOf({ id, view, status }, width, reading),
        ...below,
        ...(more > 0 ? [`    … ${more} more\n`] : []),
      ].join('');
    };
    if (failure === undefined) return [rows(), ''];
    // Its row says so already, with a cross, right where a line about it would come.
    if (many && data !== undefined && look !== undefined && stderr.isTTY) return [rows(), ''];
    const where = many ? `line ${item.line}: ${id}` : id;
    const line = `error: ${where}: ${sanitizeLine(briefFailure(failure).facts.what)}`;
    return [rows(), `${stderr.isTTY ? wrapText(line, stderr.columns ?? 80, '') : line}\n`];
  };
}

/** Takes text and writes it in as few pieces as the reader's pace asks for. */
function outlet({ runtime: { stdout } }: CallContext, { progress, onBroken }: ResultOptions) {
  let pending = '';
  let writing: Promise<void> | undefined;
  let broken: Failure | undefined;

  const lose = (why: Failure) => {
    broken = why;
    pending = '';
    onBroken(why);
  };
  const drain = async () => {
    await new Promise(setImmediate);
    // What comes while one piece is written goes into the next.
    for (let text = pending; text !== ''; text = pending) {
      pending = '';
      if (stdout.isTTY) progress.clear();
      try {
        await stdout.write(text);
        if (stdout.isTTY) progress.redraw();
        if (stdout.gone === true) lose(nobodyReads());
      } catch (error) {
        lose(asFailure(error));
      }
    }
    writing = undefined;
  };
  return {
    push(text: string): void {
      if (text === '' || broken !== undefined) return;
      pending += text;
      writing ??= drain();
    },
    hold: () => (pending.length > MOST_PENDING ? writing : undefined),
    end: async () => {
      await writing;
      // Who has gone has seen enough; what could not be written is no success.
      if (broken !== undefined && broken.facts.code !== CLOSED) throw broken;
    },
  };
}

const nobodyReads = () =>
  new Failure('local_io', {
    what: 'stopped: nobody reads the results any more',
    code: CLOSED,
    retryable: false,
  });
