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
  const table = exitCodeTable();
  const width = Math.max(...table.map(({ name }) => name.length));
  const rows = table.map(
    ({ code, name, meaning }) => `${String(code).padStart(5)}  ${name.padEnd(width)}  ${meaning}`,
  );
  return [
    'Exit codes',
    '',
    ...rows,
    '',
    'The word is the code of an error object (--json) where the service gave none of its own. After 12, and after a signal whose message says so, a change may have happened: look before you repeat.',
    '',
    'After a signal the process ends by the signal itself, so a shell shows 129, 130 or 143 and stops its loop.',
  ];
}
