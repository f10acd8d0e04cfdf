// `help exit-codes`: read off the table of failures, so that it cannot differ from it.

import { failureKinds } from '../../errors.ts';

export function exitCodes(): readonly string[] {
  const rows = Object.values(failureKinds).map(
    ({ exitCode, meaning }) => `${String(exitCode).padStart(5)}  ${meaning}`,
  );
  return ['Exit codes', '', '    0  done (a closed pipe counts as done)', ...rows];
}
