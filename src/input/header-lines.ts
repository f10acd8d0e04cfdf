// The `Name: value` lines of `--header` and `--header-file`, for webhook endpoints and `social api`. A line may contain
// a secret: a fault has its number, and its name only if the line has one.

import type { Fault } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote, sanitizeLine } from '../base/sanitize.ts';
import { camelCase, type RawFlags } from '../config/flags.ts';
import { isSecretName } from '../output/redact-by-name.ts';
import { readText } from './text-input.ts';

export interface HeaderLines {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly faults: readonly Fault[];
}

/**
 * Reads the headers of both flags; `undefined` if neither was typed. A secret on the command line is a fault. `refuse`
 * returns another problem with a header, which a file would not solve.
 */
export async function readHeaderLines(
  flag: string,
  flags: RawFlags,
  runtime: Runtime,
  refuse: (name: string, value: string) => string | undefined = () => undefined,
): Promise<HeaderLines | undefined> {
  const typed = flags[camelCase(flag)] as readonly string[] | undefined;
  const file = flags[`${camelCase(flag)}File`];
  if (typed === undefined && file === undefined) return undefined;
  const [onLine, inFile] = [`--${flag}`, `--${flag}-file`];
  const faults: Fault[] = [];
  const text = typeof file === 'string' ? await readText(file, inFile, runtime) : '';
  if (typeof text !== 'string') faults.push(text);
  else if (text === '' && file !== undefined)
    faults.push({ field: inFile, problem: 'has no line' });
  const fileLines = typeof text === 'string' && text !== '' ? text.split('\n') : [];
  const lines = [
    ...(typed ?? []).map((line, i) => ({ line, number: i + 1, field: onLine })),
    ...fileLines.map((line, i) => ({ line, number: i + 1, field: inFile })),
  ];
  const headers: (readonly [string, string])[] = [];
  // Header names that differ only in case are equal.
  const names: string[] = [];
  for (const { line, number, field } of lines) {
    const [, name = '', value = ''] =
      /^([^:]+):(.*)$/s.exec(line)?.map((part) => part.trim()) ?? [];
    const key = name.toLowerCase();
    const earlier = names.indexOf(key) + 1;
    names.push(key);
    const isExposed = field === onLine && isSecretName(name);
    const problem =
      name === ''
        ? `must be 'Name: value' (number ${number} has no colon)`
        : (refuse(key, value) ?? repeated(names.length, earlier));
    if (problem !== undefined)
      faults.push({ field, problem, fix: isExposed ? REPLACE : undefined });
    else if (isExposed)
      faults.push({
        field,
        problem: `must not have the value of ${quote(name)}, which is a secret`,
        fix: `put "${sanitizeLine(name)}: …" into a file for ${inFile}, and ${REPLACE}`,
      });
    else headers.push([name, value]);
  }
  return { headers, faults };
}

const repeated = (number: number, earlier: number): string | undefined =>
  earlier === 0
    ? undefined
    : `must not repeat a name (number ${number} has that of number ${earlier})`;

const REPLACE = 'replace the value: your shell history has it now';
