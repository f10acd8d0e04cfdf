// What is a credential where it is not known by its value: by the place that it has in a path, or by the name under
// which it stands in JSON. The values of a command's own inputs are `hiddenIn` (cli/secret); what is known by its value
// is masked by `redactor` (output/redact). Every output asks here: api, agents, --debug, history, recordings.

import { isExactNumber } from '../base/json.ts';
import { everyOperation } from '../api/operations/registry.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { MASK } from './redact.ts';

const SECRET =
  /secret$|password$|(?:^|[-_]|access|refresh|api|auth|bearer)token$|(?:api|access|private)[-_]?key$|cookie|authorization/i;

/** Whether a field of this name, or a header, is likely to hold a secret. */
export const isSecretName = (name: string): boolean => SECRET.test(name);

/** Whether it may hold one, for what is made to be given to others. */
export const maySecretName = (name: string): boolean =>
  /token|secret|passw|auth|session|code|key|signature/i.test(name);

type IsSecret = (name: string) => boolean;

/** Whether what stands below this name is secret: all values of a webhook's own headers are, and a pairing's id. */
const isSecret: IsSecret = (name) =>
  isSecretName(name) || name === 'customHeaders' || /session[-_]?id$/i.test(name);

/** The same, with further names. */
export const secretOrNamed =
  (names: readonly string[]): IsSecret =>
  (name) =>
    isSecret(name) || names.includes(name);

/** Every text in a value that may be secret. */
export function secretTexts(
  value: unknown,
  secret: IsSecret = isSecret,
  within = false,
): readonly string[] {
  if (typeof value === 'string') return within ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => secretTexts(item, secret, within));
  return Object.entries(value).flatMap(([name, inner]) =>
    secretTexts(inner, secret, within || secret(name)),
  );
}

/** The same value with a mask in place of every secret. */
export function maskNamed(value: unknown, secret: IsSecret = isSecret, within = false): unknown {
  if (typeof value === 'string') return within ? MASK : value;
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value;
  if (Array.isArray(value)) return value.map((item) => maskNamed(item, secret, within));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      maskNamed(inner, secret, within || secret(name)),
    ]),
  );
}

/** Places of paths that hold a credential: whoever knows a pairing's id or code can take part in it. */
export interface SecretPlaces {
  /** A path or a URL, with a mask for all that follows such a place. */
  maskPath(path: string): string;
  /** The same for each word of a line. */
  maskWords(line: string): string;
  /** The credentials in a path, as they came and as they are meant. */
  textsIn(path: string): readonly string[];
  /** The names under which an answer to this path holds a credential. */
  namesAt(path: string): readonly string[];
}

/** Loads all operations: they say which of their fields are credentials. */
export async function secretPlaces(): Promise<SecretPlaces> {
  const operations = (await everyOperation()).map(({ operation }) => operation);
  const known = operations.flatMap((operation) => {
    const names = fieldsOf(operation)
      .filter(({ sensitive }) => sensitive)
      .map(({ name }) => name);
    const parts = operation.path.split('/').slice(1);
    const at = parts.findIndex((part) => names.includes(part.slice(1, -1)));
    return at < 0 ? [] : [{ names, prefix: parts.slice(0, at) }];
  });
  /** Where in the parts of a path or a URL the credential stands, and what it is called. */
  const find = (parts: readonly string[]) => {
    const plain = parts.map((part) => decoded(part).toLowerCase());
    for (const { names, prefix } of known)
      for (let start = 0; start + prefix.length <= plain.length; start++)
        if (prefix.every((part, i) => part === plain[start + i]))
          return { names, at: start + prefix.length };
    return undefined;
  };
  const maskPath = (path: string): string => {
    const parts = path.split('/');
    const found = find(parts);
    if (found === undefined || found.at >= parts.length) return path;
    return [...parts.slice(0, found.at), MASK].join('/');
  };
  return {
    maskPath,
    maskWords: (line) => line.split(' ').map(maskPath).join(' '),
    textsIn(path) {
      const parts = path.split('/');
      const found = find(parts);
      return found === undefined
        ? []
        : parts.slice(found.at).flatMap((part) => [part, decoded(part)]);
    },
    namesAt: (path) => find(path.split('/'))?.names ?? [],
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
