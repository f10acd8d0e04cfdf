// What a check of `doctor` finds, and what it is given.

import { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Config } from '../../config/file.ts';
import type { Settings } from '../../config/settings.ts';
import { shellQuote } from '../../base/shell.ts';

/** `warn`: it works, but not as well as it could. `fail`: something that the user set up does not work. */
export type CheckStatus = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly check: string;
  readonly status: CheckStatus;
  /** A clause about what was seen. Holds no secret, nor anything of one. */
  readonly what: string;
  /** The exact command that mends it. */
  readonly fix?: string;
}

/** A finding of the check that runs, unless it names another one. */
export type Found = Omit<Finding, 'check'> & Partial<Pick<Finding, 'check'>>;

export interface DoctorContext {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly config: Config;
}

type Findings = Found | readonly Found[];

/** Looks at one part of the set-up. A `Failure` that it throws is what it found. */
export type Check = (context: DoctorContext) => Findings | Promise<Findings>;

export const ok = (what: string): Found => ({ status: 'ok', what });

export const warn = (what: string, fix?: string): Found => withFix('warn', what, fix);

export const fail = (what: string, fix?: string): Found => withFix('fail', what, fix);

const withFix = (status: CheckStatus, what: string, fix: string | undefined): Found => ({
  status,
  what,
  ...(fix === undefined ? {} : { fix }),
});

/** A failure as a finding: its words, and its own next step where no fix is given. Rethrows any other error. */
export function failed(error: unknown, fix?: string): Found {
  if (!(error instanceof Failure)) throw error;
  const { what, why = [], hint, next } = error.facts;
  const lines = [what, ...why, ...(hint === undefined || fix !== undefined ? [] : [hint])];
  return fail(lines.join('; '), fix ?? next);
}

/** A command line of words, each quoted where a shell needs it. */
export const command = (...words: readonly string[]): string => words.map(shellQuote).join(' ');
