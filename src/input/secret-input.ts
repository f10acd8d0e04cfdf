// A secret's value without argv: from a file, standard input, an environment variable, or made here and
// written to a new private file. Never printed.

import { promises as fsPromises } from 'node:fs';
import { Failure, type Fault, unsentFailure } from '../base/errors.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Runtime } from '../base/runtime.ts';
import { shellQuote } from '../base/shell.ts';
import { camelCase, flagName } from '../config/flags.ts';
import { cannotRecord, hasCode } from '../fs/io-errors.ts';
import { readText } from './text-input.ts';
import { isObject, ownProperty } from '../base/json.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { RawFlags } from '../config/choices.ts';

const SECRET_BYTES = 32;

/** The secret that the flags name, `undefined` where none does, or the fault that keeps it from being read. */
export async function secretFrom(
  field: Pick<Field, 'flag'>,
  flags: RawFlags,
  runtime: Runtime,
): Promise<string | Fault | undefined> {
  const [file, variable, generate, out] = ['File', 'Env', '', 'Out'].map(
    (end, i) => flags[i === 2 ? camelCase(`generate-${field.flag}`) : camelCase(field.flag) + end],
  );
  const flag = `--${field.flag}-file`;
  const names = [`--generate-${field.flag}`, flag, `--${field.flag}-env`];
  const [first, second] = names.filter((_name, i) => [generate, file, variable][i] !== undefined);
  if (second !== undefined) return { field: first!, problem: `cannot be combined with ${second}` };
  if (typeof file === 'string') return readText(file, flag, runtime);
  if (typeof variable === 'string') {
    return (
      ownProperty(runtime.env, variable) ?? {
        field: `--${field.flag}-env`,
        problem: `refers to ${variable}, which is not set`,
      }
    );
  }
  if (generate === undefined)
    return out === undefined
      ? undefined
      : { field: `--${field.flag}-out`, problem: `needs --generate-${field.flag}` };
  if (typeof out !== 'string')
    return {
      field: `--generate-${field.flag}`,
      problem: `needs --${field.flag}-out <file> to write the secret to`,
    };
  return generateSecret();
}

/** A strong secret, made here. */
export const generateSecret = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64url');

/** Writes a secret made here to a file that must not exist yet, readable by its owner only. Throws `local_io`. */
async function keepSecret(field: Field, path: string, secret: string): Promise<void> {
  try {
    const file = await fsPromises.open(path, 'wx', 0o600);
    try {
      await file.writeFile(`${secret}\n`);
      await file.sync();
    } catch (error) {
      // Nothing of ours stays: with an empty file there, the same command would be refused the next time.
      await fsPromises.unlink(path).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!hasCode(error, ['EEXIST'])) throw cannotRecord(`the secret to ${path}`, error);
    const [flag, file] = [flagName(field), shellQuote(path)];
    throw unsentFailure('local_io', {
      what: `cannot write the secret to ${path}: it already exists`,
      hint: `use the secret in it with ${flag} ${file}, or name another file`,
      cause: error,
    });
  }
}

/** Keeps every secret that was made for this call, before the call leaves; resolves with the files. */
export async function storeGeneratedSecret(
  fields: readonly Field[],
  flags: RawFlags,
  input: Input,
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const field of fields.filter(({ secret, kind }) => secret && kind === 'text')) {
    const { flag, name } = field;
    const out = flags[`${camelCase(flag)}Out`];
    if (flags[camelCase(`generate-${flag}`)] !== true) continue;
    await keepSecret(field, String(out), String(input[name]));
    files.push(String(out));
  }
  return files;
}

/**
 * The failure of a call whose secret is in `files`. Where nothing was changed they are deleted: the same command would
 * be refused the next time because of them. Where something may have been, they stay, and that is said.
 */
export async function afterFailedCall(files: readonly string[], error: unknown): Promise<unknown> {
  if (files.length === 0 || !(error instanceof Failure)) return error;
  const { outcome, kind, facts } = error;
  if (outcome === 'refused' || (outcome === 'none' && facts.sent !== true))
    await Promise.all(files.map((path) => fsPromises.unlink(path).catch(() => undefined)));
  if (outcome !== 'unknown') return error;
  const stays = `the secret is kept in ${files.join(', ')}: it may be in use`;
  return new Failure(kind, { ...facts, hint: [facts.hint ?? [], stays].flat().join('\n') });
}

/**
 * The texts of an input that no output may show but the result: secrets, values of secret maps, and ids that are
 * credentials.
 */
export function secretValuesIn(fields: readonly Field[], input: Input): readonly string[] {
  return fields
    .filter(({ hidden }) => hidden)
    .flatMap(({ name }) => {
      const value = input[name];
      if (typeof value === 'string') return [value];
      return isObject(value) ? Object.values(value).map(String) : [];
    });
}
