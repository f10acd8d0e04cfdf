// `help exit-codes`: read off the table of failures, so that it cannot differ from it.

import { failureKinds } from '../../errors.ts';

/** Every code a command can end with, and what it means. */
export function exitCodeTable(): readonly {
  readonly code: number;
  readonly name: string;
  readonly meaning: string;
}[] {
  const done = { code: 0, name: 'done', meaning: 'done (a closed pipe counts as done)' };
  const rows = Object.entries(failureKinds);
  return [done, ...rows.map(([name, { exitCode: code, meaning }]) => ({ code, name, meaning }))];
}

export function exitCodes(): readonly string[] {
  const rows = exitCodeTable().map(
    ({ code, meaning }) => `${String(code).padStart(5)}  ${meaning}`,
  );
  return ['Exit codes', '', ...rows];
}
