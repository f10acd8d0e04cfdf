// Values that are not typed on the line: a text from a file or standard input, a secret from either or from a variable,
// and the lines of headers. At most 1 MiB, and only valid UTF-8.

import { constants } from 'node:fs';
import type { Field } from '../api/operations/fields.ts';
import { Failure } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { ownProperty } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote, sanitizeLine } from '../base/sanitize.ts';
import { decodeUtf8, firstInvalidByte, isUtf16, withoutBom } from '../base/utf8.ts';
import { camelCase, type RawFlags } from '../config/flags.ts';
import { cannotRead, hasCode } from '../fs/io-errors.ts';
import { readRange, withFile } from '../fs/safe-read.ts';
import { isSecretName } from '../output/redact-by-name.ts';

const LIMIT = 1024 * 1024;

/**
 * Reads the text of a file, or of standard input for `-`, without one final newline. Returns the fault if it cannot.
 */
export async function readText(
  from: string,
  field: string,
  runtime: Runtime,
): Promise<string | Fault> {
  const bytes = from === '-' ? await readStdin(field, runtime) : fromFile(from, field);
  if (!(bytes instanceof Uint8Array)) return bytes;
  const name = from === '-' ? 'standard input' : from;
  if (bytes.length > LIMIT) return { field, problem: `${name} is larger than 1 MiB` };
  if (isUtf16(bytes)) return { field, problem: `${name} is UTF-16`, fix: 'save it as UTF-8' };
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined) {
    const byte = firstInvalidByte(bytes) + 1;
    return { field, problem: `${name} is not valid UTF-8 (byte ${byte})` };
  }
  return withoutBom(decoded).replace(/\r?\n$/, '');
}

/** Reads standard input, at most a little more than the limit. Returns the fault if it is a terminal. */
export async function readStdin(field: string, runtime: Runtime): Promise<Uint8Array | Fault> {
  if (runtime.stdin.isTTY)
    return {
      field,
      problem: 'cannot read stdin: it is a terminal',
      fix: 'pipe the text to stdin',
    };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of runtime.stdin.chunks()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LIMIT) break;
  }
  return Buffer.concat(chunks);
}

function fromFile(path: string, field: string): Uint8Array | Fault {
  try {
    return withFile(path, constants.O_RDONLY, (fd) => readRange(fd, 0, LIMIT + 1));
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return { field, problem: `${path} does not exist` };
    if (!(error instanceof Failure)) return { field, problem: cannotRead(path, error).facts.what };
    const fix = `to read from a pipe, use ${field} - and pipe it to stdin`;
    return { field, problem: error.facts.what, fix };
  }
}

/** Reads the secret that a flag names; `undefined` if none does, or the fault if it cannot be read. */
export async function secretFrom(
  { flag }: Pick<Field, 'flag'>,
  flags: RawFlags,
  runtime: Runtime,
): Promise<string | Fault | undefined> {
  const file = flags[`${camelCase(flag)}File`];
  const variable = flags[`${camelCase(flag)}Env`];
  if (typeof file === 'string') return readText(file, `--${flag}-file`, runtime);
  if (typeof variable !== 'string') return undefined;
  const problem = `refers to ${variable}, which is not set`;
  return ownProperty(runtime.env, variable) ?? { field: `--${flag}-env`, problem };
}

interface HeaderLines {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly faults: readonly Fault[];
}

/**
 * Reads the `Name: value` lines of `--header` and `--header-file`; `undefined` if neither was typed. A secret on the
 * command line is a fault. `refuse` returns another problem with a header, which a file would not solve. A line may
 * contain a secret: a fault has its number, and its name only if the line has one.
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
  const fileFlag = `--${flag}-file`;
  const faults: Fault[] = [];
  const lines = (typed ?? []).map((line, i) => ({ line, number: i + 1, source: `--${flag}` }));
  const text = typeof file === 'string' ? await readText(file, fileFlag, runtime) : undefined;
  if (typeof text === 'object') faults.push(text);
  else
    for (const [i, line] of text?.split('\n').entries() ?? [])
      lines.push({ line, number: i + 1, source: fileFlag });
  const headers: (readonly [string, string])[] = [];
  // Header names that differ only in case are equal.
  const names: string[] = [];
  for (const { line, number, source } of lines) {
    const [, name = '', value = ''] =
      /^([^:]+):(.*)$/s.exec(line)?.map((part) => part.trim()) ?? [];
    const key = name.toLowerCase();
    const earlier = names.indexOf(key) + 1;
    names.push(key);
    const repeats = `must not repeat a name (number ${names.length} has that of number ${earlier})`;
    const problem =
      name === ''
        ? `must be 'Name: value' (number ${number} has no colon)`
        : (refuse(key, value) ?? (earlier > 0 ? repeats : undefined));
    const isExposed = source !== fileFlag && isSecretName(name);
    if (problem !== undefined)
      faults.push({ field: source, problem, fix: isExposed ? REPLACE : undefined });
    else if (isExposed)
      faults.push({
        field: source,
        problem: `must not have the value of ${quote(name)}, which is a secret`,
        fix: `put "${sanitizeLine(name)}: …" into a file for ${fileFlag}, and ${REPLACE}`,
      });
    else headers.push([name, value]);
  }
  return { headers, faults };
}

/** The advice for a secret that was typed on the line. */
const REPLACE = 'replace the value: your shell history has it now';
