// Histories of a few runs with one journal, at a service with bad habits: other lists and flags each time, waits,
// settles and single calls between them, kills, clocks that are set, minutes and hours that pass. The second part of
// `npm run torture:batch`, or by itself:
//
//   node test/torture/histories.mjs [--histories 60] [--seed 1] [--jobs 2] [--binary bin/social.js] [--verbose]
//
// Prints each fault with the history that led to it, and how often each kind was found; ends with 1 if there is one.
// The same seed plays the same history again, as far as two processes keep the same time.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOfFailures, faultsOfHistory, faultsOfRun } from './checks.mjs';
import { clockOf } from './fickle-posts.mjs';
import { fickleService, habitsOf, wellBehaved } from './fickle-service.mjs';
import * as plan from './history-plan.mjs';
import { eachSeed, optionsOf, programIn } from './kit.mjs';
import { randomFrom } from './random.mjs';
import { tell } from './tell.mjs';

const { histories, seed, jobs, binary, verbose } = optionsOf({
  histories: { type: 'string', default: '60' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  jobs: { type: 'string', default: '2' },
  binary: { type: 'string' },
  verbose: { type: 'boolean', default: false },
});

/** A run that has not ended by itself after this time is ended. */
const LONGEST_RUN_MS = 90_000;
const WRONG_CLOCKS_MS = [0, -3_600_000, -95_000, 95_000, 3_600_000];
/** How often a well-behaved service is asked at the end of a history until nothing is left to do. */
const LAST_RUNS = 3;

class History {
  constructor(number) {
    this.number = number;
    this.random = randomFrom(number);
    this.habits = habitsOf(this.random);
    this.clock = clockOf();
    this.job = plan.jobOf(this.random, this.habits);
    /** By how much the clock of this machine differs from that of the service. */
    this.wrongByMs = this.random.chance(0.2) ? this.random.pick(WRONG_CLOCKS_MS) : 0;
    this.runs = [];
    this.faults = [];
    this.figures = { runs: 0, kills: 0, requests: 0, published: 0, permitted: 0 };
  }

  async play() {
    this.service = await fickleService(this.random, this.habits, this.clock);
    this.program = programIn(this.service.url, binary);
    try {
      const state = {};
      for (let left = this.random.between(3, 6); left > 0; left--) {
        const { posts } = this.service;
        const drawn = plan.nextRun(this.random, {
          folder: this.program.folder,
          posts,
          job: this.job,
          state,
        });
        const isDown = this.random.chance(0.05);
        await this.#run(drawn, plan.interruptionOf(this.random, this.job), isDown);
        state.code = drawn.said.code;
        if (this.random.chance(0.1)) this.wrongByMs = this.random.pick(WRONG_CLOCKS_MS);
        this.clock.skip(plan.timeBetween(this.random, this.job));
      }
      await this.#finish();
      this.#judge();
    } catch (error) {
      this.faults.push(['fault of the harness', error.stack]);
    } finally {
      this.service.close();
      this.program.remove();
    }
    const isTold = this.faults.length > 0 || verbose;
    const kinds = this.faults.map(([kind]) => kind);
    return { figures: this.figures, faults: kinds, told: isTold ? tell(this) : '' };
  }

  /** Runs the program once, and checks what it said. */
  async #run(run, interruption, isDown = false) {
    const { service, program, clock } = this;
    const failures = join(program.folder, plan.FAILURES);
    Object.assign(run, {
      number: this.runs.push(run),
      from: service.log.length,
      at: clock.now(),
      journal: run.hasJournal ? join(program.folder, plan.JOURNAL) : undefined,
      isSharded: this.job.isSharded,
      scope: plan.scopeOf(run, this.job, service.posts),
    });
    service.run = run;
    this.figures.runs++;
    const down = isDown ? service.goDown(this.random.between(300, 900)) : undefined;
    run.workUntil = Date.now();
    const child = program.start(run.argv, clock.skippedMs() + this.wrongByMs);
    const end = interrupt(child, run, service, interruption);
    run.said = await program.ended(child);
    run.endedAt = Date.now();
    run.madeJournal = run.journal !== undefined && existsSync(run.journal);
    end();
    await down;
    if (run.signal === 'SIGKILL') this.figures.kills++;
    const faults = [...faultsOfRun(run, service), ...faultsOfFailures(run, failures, service)];
    this.faults.push(...faults.map(([kind, what]) => [kind, `run ${run.number}: ${what}`]));
  }

  /** From here on the service behaves well, and the operator does what the program says until nothing is left. */
  async #finish() {
    const { service, program, job } = this;
    service.habits = wellBehaved(this.habits);
    const targets = [...service.posts.values()].flatMap((post) => post.targets);
    for (const target of targets) target.failures = 0;
    const first = this.runs.find(({ madeJournal }) => madeJournal);
    const isTyped = first?.argv.includes('--failed') === true;
    const hasJournal = () => existsSync(join(program.folder, plan.JOURNAL));
    for (let i = 0; i < LAST_RUNS; i++) {
      this.clock.skip(1_200_000);
      service.settleAll();
      if (i > 0 && hasJournal()) await this.#run(plan.lastSettle());
      await this.#run(plan.lastRun(service.posts, job, isTyped, program.folder));
      service.settleAll();
      const isLeft = ({ start, publishedBy }) => start === 'failed' && publishedBy.length === 0;
      this.left = job.filter.length > 0 || job.isSharded ? [] : targets.filter(isLeft);
      if (this.left.length === 0 && this.runs.at(-1).said.code === 0) return;
    }
    const { code } = this.runs.at(-1).said;
    for (const { id } of this.left)
      if (code === 0) this.faults.push(['lost', `${id} was not published, and nothing says so`]);
      else if (this.habits.hasDate)
        this.faults.push(['stuck', `${id} was not published (${code})`]);
  }

  #judge() {
    const { faults, permitted } = faultsOfHistory(this.service);
    this.faults.push(...faults);
    const { log, posts } = this.service;
    this.figures.permitted = permitted;
    this.figures.requests = log.filter(({ kind }) => kind === 'request').length;
    for (const { targets } of posts.values())
      this.figures.published += targets.filter((target) => target.publishedBy.length > 0).length;
  }
}

/** Ends a run from outside as was drawn; returns how to stop that. */
function interrupt(child, run, service, interruption) {
  const send = (signal) => {
    run.signal = signal;
    if (signal === 'SIGKILL') run.killedAt = Date.now();
    child.kill(signal);
  };
  const timers = [setTimeout(() => child.kill('SIGKILL'), LONGEST_RUN_MS)];
  const later = () =>
    timers.push(setTimeout(() => send(interruption.signal), interruption.afterMs));
  if (interruption?.at === undefined) {
    if (interruption !== undefined) later();
  } else {
    let count = interruption.count;
    service.onRequest = (what) => {
      if (what === interruption.at && --count === 0) later();
    };
  }
  return () => {
    for (const timer of timers) clearTimeout(timer);
    service.onRequest = () => {};
  };
}

await eachSeed((number) => new History(number).play(), {
  rounds: Number(histories),
  first: Number(seed),
  atOnce: Number(jobs),
});
