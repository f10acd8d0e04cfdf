// jq's own language over JSON text. It runs on a thread of its own: an expression without an end can then be stopped,
// and what it prints by itself reaches nobody's terminal. Its package is optional; without it nothing here starts.

import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ifPossible } from '../base/errors.ts';
import { escapeInvisible, ownJson } from '../base/json.ts';
import { sanitize } from '../base/sanitize.ts';

/** The package, as a user would name it to npm. */
export const JQ_PACKAGE = 'jq-web@0.6.2';

export type Jq = NonNullable<ReturnType<typeof startJq>>;

const LONGEST_FAULT = 200;

/** One run of jq: what it printed, or what it ended with. */
interface Run {
  readonly printed?: string | undefined;
  readonly fault?: string;
  readonly said: readonly string[];
}

/**
 * What the thread does. It listens before jq has loaded, for what listens stays alive. The space keeps an expression
 * from being taken for an option.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const loaded = require(workerData.path);
let said = [];
console.warn = (...words) => said.push(String(words.at(-1)));
parentPort.on('message', async (text) => {
  const { raw } = await loaded;
  said = [];
  let run;
  try {
    run = { printed: raw(text, ' ' + workerData.expression, ['-c']) };
  } catch (error) {
    run = { fault: error.stderr ?? error.message };
  }
  parentPort.postMessage({ ...run, said });
});`;

/** Starts jq with an expression; `undefined` where its package is not installed. */
export function startJq(expression: string, isTTY: boolean, signal: AbortSignal) {
  const path = ifPossible(() => createRequire(import.meta.url).resolve('jq-web'));
  if (path === undefined) return undefined;
  const worker = new Worker(THREAD, {
    eval: true,
    workerData: { path, expression },
    env: {},
    stdout: true,
    stderr: true,
  });
  worker.unref();
  // One text at a time: the thread answers in the order in which it is asked, and nothing after it has ended.
  let last: Promise<unknown> = Promise.resolve();
  const run = (text: string): Promise<Run> => {
    const next = last.then(() => asked(worker, text, signal));
    last = next;
    return next;
  };
  const lines = (printed = '') => linesOf(printed, isTTY);
  return {
    /** What is wrong with the expression, in jq's own words; nothing where it compiles. Applies it to nothing. */
    async fault() {
      const { fault } = await run('');
      return fault === undefined ? undefined : compileFault(fault);
    },
    /** Applies the expression to a document, or to each of several, one a line. Rejects with the signal's reason. */
    async apply(documents: string) {
      const all = await run(documents);
      if (isClean(all)) return { text: lines(all.printed), faults: [], said: all.said };
      // Of several only those that fail are lost: one after the other tells which.
      const each = separated(documents);
      const runs: Run[] = each.length === 1 ? [all] : [];
      if (each.length > 1) for (const document of each) runs.push(await run(document));
      return {
        /** A line for each result: a string as it is, all else as JSON. */
        text: runs.map(({ printed }) => lines(printed)).join(''),
        /** What went wrong, a line for each document that has no result for it. */
        faults: runs.flatMap(({ fault }) => (fault === undefined ? [] : [runFault(fault)])),
        /** What `debug` and `stderr` said. */
        said: runs.flatMap(({ said }) => said),
      };
    },
    /** Ends the thread. */
    close: () => void worker.terminate(),
  };
}

/** How long an expression may still take when the user wants no more: results that are nearly there are not lost. */
const GRACE_MS = 500;

/** Puts a text to the thread. It keeps the process alive only for as long as the answer takes. */
function asked(worker: Worker, text: string, signal: AbortSignal): Promise<Run> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      worker.unref();
      worker.off('message', onRun);
      worker.off('error', onError);
      worker.off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const onRun = (run: Run) => end(() => resolve(run));
    const onError = (error: Error) => end(() => reject(error));
    const onExit = () => end(() => reject(new Error('jq ended')));
    const giveUp = () => {
      end(() => reject(signal.reason as Error));
      void worker.terminate();
    };
    const onAbort = () => (timer = setTimeout(giveUp, GRACE_MS));
    worker.ref();
    worker.on('message', onRun).on('error', onError).on('exit', onExit);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    worker.postMessage(text);
  });
}

/** jq ends as its last document ended; of the others only what it said tells. */
const isClean = ({ fault, said }: Run): boolean =>
  fault === undefined && !said.some((text) => /^jq: (?:parse )?error/m.test(text));

/** The lines, where each is a document; else the one document that they make together. */
function separated(documents: string): readonly string[] {
  const lines = documents.split('\n').filter((line) => line !== '');
  return ownJson(lines[0] ?? '') === undefined ? [documents] : lines;
}

/** jq prints compact JSON, so that a line is a result. */
function linesOf(printed: string, isTTY: boolean): string {
  if (printed === '') return '';
  const results = printed.split('\n').map((line) => {
    if (!line.startsWith('"')) return escapeInvisible(line);
    const text = JSON.parse(line) as string;
    return isTTY ? sanitize(text) : text;
  });
  return `${results.join('\n')}\n`;
}

/** `syntax error, unexpected end of file at <top-level>, line 1`, of jq's several lines. */
function compileFault(said: string): string {
  const [first = ''] = said.split('\n');
  return first
    .replace(/^jq: error: /, '')
    .replace(/ \(Unix shell quoting issues\?\)/, '')
    .replace(/ at <top-level>, line \d+:?$/, '');
}

/** What an expression, or the data that it met, went wrong by. */
function runFault(said: string): string {
  const text = said
    .replace(/^jq: (?:parse )?error(?: \(at [^)]*\))?: ?/, '')
    .replace(/^Non-zero exit code.*/, 'it halted with an error');
  return text.length > LONGEST_FAULT ? `${text.slice(0, LONGEST_FAULT - 1)}…` : text;
}
