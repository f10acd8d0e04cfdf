// What an examination finds: one thing about this set-up, how it stands, and the command that mends it.

import { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Config } from '../../config/file.ts';
import { asFailure } from '../../output/error-report.ts';
import type { Settings } from '../../config/settings.ts';
import { shellQuote } from '../../base/shell.ts';
import type { CommandContext } from '../../cli/command-context.ts';

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

/** What is examined. */
export interface DoctorContext {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly config: Config;
  readonly commandContext: CommandContext;
}

/** Looks at one side of the set-up. Never throws for what it finds. */
export type Check = (patient: DoctorContext) => readonly Finding[] | Promise<readonly Finding[]>;

export const ok = (check: string, what: string): Finding => ({ check, status: 'ok', what });

export const warn = (check: string, what: string, fix?: string): Finding =>
  finding(check, 'warn', what, fix);

export const fail = (check: string, what: string, fix?: string): Finding =>
  finding(check, 'fail', what, fix);

function finding(
  check: string,
  status: CheckStatus,
  what: string,
  fix: string | undefined,
): Finding {
  return { check, status, what, ...(fix === undefined ? {} : { fix }) };
}

/** A failure of the tool's own as a finding: its words, and the next step that it names where none is given. */
export function checkFailed(check: string, error: unknown, fix?: string): Finding {
  if (!(error instanceof Failure)) throw error;
  const { what, why = [], hint, next } = asFailure(error).facts;
  const told = [what, ...why, ...(hint === undefined || fix !== undefined ? [] : [hint])];
  return fail(check, told.join('; '), fix ?? next);
}

/** A command line of words, each quoted where a shell needs it. */
export const command = (...words: readonly string[]): string => words.map(shellQuote).join(' ');
