// What is known of the mutants of an area: a line a fact, so that a run that hangs can be taken up behind it. And what
// the changed code goes by.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What the tool’s code in each mutated file counts and asks for. */
export interface Counters {
  activeMutant: string | undefined;
  currentTestId: string | undefined;
  hitCount: number | undefined;
  hitLimit: number | undefined;
  mutantCoverage: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

const [NAME, empty] = ['__stryker__', { mutantCoverage: { static: {}, perTest: {} } }];
const holder = globalThis as unknown as Record<string, Counters>;
export const counters = (holder[NAME] ??= empty as unknown as Counters);

export interface Fact {
  /** A test that is run as it is. */
  readonly begins?: string;
  /** A mutant that is being tried, which a test noticed, or whose test did not come to an end. */
  readonly tries?: string;
  /** What the test may take with it. */
  readonly withinMs?: number;
  readonly noticed?: string;
  readonly late?: string;
  /** How the mutant of a trial fared in it, which is not proved yet. */
  readonly ended?: 'passed' | 'noticed' | 'late';
  readonly of?: string;
  /** That a test is run without a mutant, to prove what it noticed. */
  readonly proves?: readonly string[];
  /** A mutant in whose trial a run ended or hung, for the first time: it is tried again, first in a new process. */
  readonly suspect?: string;
  /** Mutants whose test hung without them after their trial: what it showed is not known. */
  readonly unproved?: readonly string[];
  /** The test of which it is told; alone, that it has judged all it can. */
  readonly test?: string;
  readonly tookMs?: number;
  /** A file of which each test has been judged, or left out. */
  readonly over?: string;
  /** Changes that a test noticed which fails without them too, run again. */
  readonly unsteady?: number;
  readonly because?: string;
  /** Mutants that the test has run through, or that were run through when the files were loaded. */
  readonly reached?: readonly string[];
  readonly loaded?: readonly string[];
}

const path = process.env['MUTATION_LOG']!;

export const note = (fact: Fact): void => appendFileSync(path, `${JSON.stringify(fact)}\n`);

export const facts = (): readonly Fact[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Fact)
    : [];
