// What a check of `doctor` finds, and what it is given.

import { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Config } from '../../config/file.ts';
import type { Settings } from '../../config/settings.ts';
import { shellQuote } from '../../base/shell.ts';

/** A text about what was seen, with and without the values in it. */
interface Seen {
  /** A clause. Holds no secret, nor anything of one. */
  readonly what: string;
  /** The same without anything of this machine and its user, for others to read. */
  readonly shared: string;
}

export interface Finding extends Seen {
  readonly check: string;
  /** `warn`: it works, but not as well as it could. `fail`: something that the user set up does not work. */
  readonly status: 'ok' | 'warn' | 'fail';
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

/** A value that says nothing of this machine and its user. */
export interface Shareable {
  readonly value: string;
}

export const shareable = (value: string): Shareable => ({ value });

/**
 * A text about what was seen. Its words and numbers are for everybody; other values are not, unless they are
 * `shareable`.
 */
export function seen(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Shareable)[]
): Seen {
  const texts = values.map((value) => (typeof value === 'object' ? value.value : String(value)));
  const open = values.map((value, i) => (typeof value === 'string' ? HIDDEN : texts[i]!));
  return {
    what: String.raw({ raw: parts }, ...texts),
    shared: String.raw({ raw: parts }, ...open),
  };
}

const HIDDEN = '…';

const finding =
  (status: Finding['status']) =>
  (what: Seen, fix?: string): Found => ({ status, ...what, ...(fix === undefined ? {} : { fix }) });

export const ok = finding('ok');
export const warn = finding('warn');
export const fail = finding('fail');

/**
 * A failure as a finding: its words, which may name anything, and its own next step where no fix is given. Rethrows any
 * other error.
 */
export function failed(error: unknown, fix?: string): Found {
  if (!(error instanceof Failure)) throw error;
  const { kind, facts } = error;
  const { what, why = [], hint, next } = facts;
  const lines = [what, ...why, ...(hint === undefined || fix !== undefined ? [] : [hint])];
  return fail({ what: lines.join('; '), shared: kind }, fix ?? next);
}

/** A command line of words, each quoted where a shell needs it. */
export const command = (...words: readonly string[]): string => words.map(shellQuote).join(' ');
