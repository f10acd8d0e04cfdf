// One round of a section: its own chance, home and servers, and an account of what was checked.

import { freshHome, start } from './program.mjs';
import { randomFrom } from './random.mjs';
import { sound } from './judge.mjs';
import { serve } from './servers.mjs';

const MOST_TEXT = 400;

/** Runs a round and adds what came of it to the figures. A round that throws has failed. */
export async function trial(round, seed, figures, slack) {
  const random = randomFrom(seed);
  const { home, clear } = freshHome();
  const closers = [];

  /** Notes whether something holds; what does not is told with the run and the detail. */
  const check = (holds, what, run, detail) => {
    figures.checks++;
    if (holds) return true;
    figures.failures.push({
      seed,
      what,
      detail: [...about(run), ...(detail == null ? [] : [short(detail)])],
    });
    return false;
  };
  /** Starts the program in this home. */
  const begin = (argv, options = {}) => {
    figures.runs++;
    return start(argv, { home, ...options });
  };
  const stage = {
    random,
    slack,
    home,
    check,
    begin,
    /** Runs the program to its end, and checks what holds for every run. */
    run: async (argv, options) => {
      const run = await begin(argv, options).ended;
      sound(run, check);
      return run;
    },
    sound: (run) => sound(run, check),
    /** A server that goes with the round. */
    serve: async (answer, options) => {
      const server = await serve(answer, options);
      closers.push(server.close);
      return server;
    },
    /** Something to do when the round is over. */
    after: (work) => void closers.push(work),
  };
  try {
    await round(stage);
  } catch (error) {
    check(false, 'the round itself ran', undefined, error.stack);
  } finally {
    for (const close of closers) close();
    clear();
  }
}

const short = (text) => {
  const line = typeof text === 'string' ? text : JSON.stringify(text);
  return line.length > MOST_TEXT ? `${line.slice(0, MOST_TEXT)}…` : line;
};

/** What was run and what became of it. */
function about(run) {
  if (run === undefined) return [];
  const { argv, code, ms, stdout, stderr } = run;
  return [
    `social ${argv.join(' ')}`,
    `exit ${code} after ${Math.round(ms)} ms`,
    `stdout ${short(JSON.stringify(stdout))}`,
    `stderr ${short(JSON.stringify(stderr))}`,
  ];
}
