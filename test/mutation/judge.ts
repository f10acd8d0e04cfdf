// Runs each test as it is, and then once with each change that it runs through and that no test has noticed yet. All
// in one process: modules keep no state, so nothing of one run is there in the next.

import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestRunner, type RunnerTestCase, type RunnerTestSuite } from 'vitest';
import { counters, facts, note } from './log.ts';

/** A slower one costs more than it can show. */
const SLOWEST_MS = 2500;
/** The same where a change has all tests of an area to pass. */
const SLOWEST_OF_ALL_MS = 200;

/** The first test of a file loads what all need: one that takes longer is run once more for its time. */
const WARM_MS = 300;
/** Many tests of one file are much alike: when a change has cost so much there, the next file is asked. */
const MOST_OF_A_FILE_MS = 2500;
/** What one test may cost that notices nothing; each change that it notices buys it more. */
const MOST_OF_A_TEST_MS = 5000;
const WORTH_OF_A_FIND_MS = 1000;
/** Finds that are lost together where the test fails without a change too. */
const MOST_UNPROVED = 20;
/** Before a proof that failed is tried again. */
const PAUSE_MS = 2000;

const own = new Set((process.env['MUTATION_IDS'] ?? '').split(','));
const settled = new Set<string>();
const judged = new Map<string, number>();
/** What earlier processes have tried with a test that they did not come to the end of, and need not try again. */
const tried = new Map<string, Set<string>>();
for (const { noticed, late, test, tookMs, ended, of, unproved = [] } of facts()) {
  if (noticed !== undefined || late !== undefined) settled.add((noticed ?? late)!);
  else if (test !== undefined && tookMs !== undefined) judged.set(test, tookMs);
  if (test === undefined) continue;
  if (!tried.has(test)) tried.set(test, new Set());
  for (const mutant of ended === 'passed' ? [of!] : unproved) tried.get(test)!.add(mutant);
}
/** The mutants in whose trial a process ended, by the test. */
const suspects = new Set(facts().map(({ suspect, test }) => `${suspect} ${test}`));
/** Tests that a process did not come to the end of. */
const isTakenUp = new Set(tried.keys());
let told = false;
let spentMs = new Map<string, number>();
let fileOfIt = '';

const limitFor = (tookMs: number): number => Math.round(1500 + 6 * tookMs);

const nameOf = (test: RunnerTestCase): string => `${test.file.name} > ${test.fullTestName}`;

/** What a test wants done behind it, done now. */
async function tidy(test: RunnerTestCase): Promise<void> {
  const pending = test as { onFinished?: ((context: unknown) => unknown)[] };
  const hooks = pending.onFinished ?? [];
  delete pending.onFinished;
  for (const hook of hooks.toReversed())
    await Promise.resolve(hook(test.context)).catch(() => undefined);
  // A lock that a change left behind is held by this process, which lives, and goes by a number that comes again.
  rmSync(join(tmpdir(), `social-locks-${process.getuid?.()}`), { recursive: true, force: true });
  // A change may remove it.
  mkdirSync(tmpdir(), { recursive: true });
}

type End = 'passed' | 'noticed' | 'late';

interface Find {
  readonly mutant: string;
  readonly end: Exclude<End, 'passed'>;
}

export default class Judge extends TestRunner {
  #lastError: unknown;

  /**
   * A file whose tests have all been judged is not loaded again when the tests are taken up behind a change that hung.
   */
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (suite === suite.file && counters.activeMutant === undefined) note({ over: suite.name });
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const body = TestRunner.getTestFn(test) as () => Promise<void>;
    // A change of what happens at the load is there from the start, and for each test.
    const name = nameOf(test);
    if (counters.activeMutant !== undefined)
      return (judged.get(name) ?? 0) > SLOWEST_OF_ALL_MS ? undefined : body();
    if (!told) note({ loaded: Object.keys(counters.mutantCoverage.static) });
    told = true;
    if (judged.has(name)) return;
    const id = `${name} ${Math.random()}`;
    counters.currentTestId = id;
    note({ begins: name });
    const start = performance.now();
    try {
      await body();
    } finally {
      counters.currentTestId = 'changed';
      await tidy(test);
    }
    let tookMs = performance.now() - start;
    const again = performance.now();
    if (tookMs > WARM_MS && (await this.changed(test, body, { hits: 0, tookMs })) === 'passed')
      tookMs = Math.min(tookMs, performance.now() - again);
    const hits = counters.mutantCoverage.perTest[id] ?? {};
    const reached = Object.keys(hits).filter((mutant) => own.has(mutant));
    const found: Find[] = [];
    let finds = 0;
    if (fileOfIt !== test.file.name) [fileOfIt, spentMs] = [test.file.name, new Map()];
    const spentOn = (mutant: string) => spentMs.get(mutant) ?? 0;
    const isSuspect = (mutant: string) => suspects.has(`${mutant} ${name}`);
    const isOpen = (mutant: string) =>
      !settled.has(mutant) && !tried.get(name)?.has(mutant) && spentOn(mutant) < MOST_OF_A_FILE_MS;
    // A suspect first: what happens then is its own doing. Then those on which the least was spent.
    const open = reached
      .filter(isOpen)
      .toSorted(
        (one, other) =>
          Number(isSuspect(other)) - Number(isSuspect(one)) || spentOn(one) - spentOn(other),
      );
    const mostUnproved = isTakenUp.has(name) ? 1 : MOST_UNPROVED;
    for (const mutant of tookMs > SLOWEST_MS ? [] : open) {
      const budget = MOST_OF_A_TEST_MS + finds * WORTH_OF_A_FIND_MS;
      if (performance.now() - start > budget) break;
      note({ tries: mutant, test: name, withinMs: limitFor(tookMs) });
      const begun = performance.now();
      const end = await this.changed(test, body, { mutant, hits: hits[mutant]!, tookMs });
      note({ ended: end, of: mutant, test: name, withinMs: limitFor(tookMs) });
      spentMs.set(mutant, spentOn(mutant) + performance.now() - begun);
      if (end === 'passed') continue;
      finds = finds + 1;
      if (found.push({ mutant, end }) === mostUnproved)
        await this.prove(test, body, found.splice(0), tookMs);
    }
    await this.prove(test, body, found, tookMs);
    note({ test: name, tookMs: Math.round(tookMs), reached });
  }

  /** Notes what was found if the test passes without a change: what fails then as well has shown nothing. */
  private async prove(
    test: RunnerTestCase,
    body: () => Promise<void>,
    found: readonly Find[],
    tookMs: number,
  ): Promise<void> {
    const name = nameOf(test);
    let isSteady = found.length === 0;
    // What a change left running may be in the way for a moment.
    for (let i = 0; i < 3 && !isSteady; i++) {
      note({
        proves: found.map(({ mutant }) => mutant),
        test: name,
        withinMs: limitFor(tookMs) + PAUSE_MS,
      });
      if (i > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      isSteady = (await this.changed(test, body, { hits: 0, tookMs })) === 'passed';
    }
    if (!isSteady) note({ unsteady: found.length, test: name, because: String(this.#lastError) });
    for (const { mutant, end } of isSteady ? found : []) {
      settled.add(mutant);
      note({ [end]: mutant, test: name });
    }
  }

  private async changed(
    test: RunnerTestCase,
    body: () => Promise<void>,
    about: { readonly mutant?: string; readonly hits: number; readonly tookMs: number },
  ): Promise<End> {
    counters.hitCount = 0;
    counters.hitLimit = 1000 + 100 * about.hits;
    counters.activeMutant = about.mutant;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<End>((resolve) => {
      timer = setTimeout(resolve, limitFor(about.tookMs), 'late');
    });
    const run = Promise.resolve()
      .then(body)
      .then(
        () => 'passed' as const,
        (error: unknown) => {
          this.#lastError = error;
          return 'noticed' as const;
        },
      );
    const end = await Promise.race([run, limit]);
    clearTimeout(timer);
    counters.activeMutant = undefined;
    await tidy(test);
    return end;
  }
}
