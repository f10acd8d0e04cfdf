// Credentials whose value is unknown in advance: found by their place in a path and by the fields that the operations
// declare, and by likely names in undeclared JSON. `redact.ts` masks the ones with known values.

import { secretNamesOf, sensitiveNamesOf } from '../api/operations/fields.ts';
import { everyOperation } from '../api/operations/registry.ts';
import { ifPossible } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { MASK } from './redact.ts';

const SECRET =
  /secret$|passw(?:or)?d$|(?:^|[-_]|access|refresh|api|auth|bearer|session)token$|(?:[-_]|api|access|private)key$|[-_]auth$|cookie|authorization/i;

/** True if the name of a field, a header or a parameter suggests a secret. */
export const isSecretName = (name: string): boolean => SECRET.test(name);

export type IsSecret = (name: string) => boolean;

/** Lists the texts in a value that may be secret. */
export function secretTexts(value: unknown, isSecret: IsSecret = isSecretName): readonly string[] {
  const texts: string[] = [];
  mapSecrets(value, isSecret, (text) => void texts.push(text));
  return texts;
}

/** Copies the value with a mask in place of every secret. */
export const maskNamed = (value: unknown, isSecret: IsSecret = isSecretName): unknown =>
  mapSecrets(value, isSecret, () => MASK);

/** Copies the value with every text changed that is below a secret name. */
function mapSecrets(
  value: unknown,
  isSecret: IsSecret,
  change: (text: string) => unknown,
  within = false,
): unknown {
  if (typeof value === 'string') return within ? change(value) : value;
  if (Array.isArray(value)) return value.map((item) => mapSecrets(item, isSecret, change, within));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      mapSecrets(inner, isSecret, change, within || isSecret(name)),
    ]),
  );
}

/** The session ID of a Telegram pairing, in any spelling: an argument of a command, and masked except in its result. */
const SESSION_ID = /session[-_]?id$/i;

export type SecretPlaces = Awaited<ReturnType<typeof secretPlaces>>;

/**
 * Credentials by their place: in paths, and in JSON by the fields that the operations declare. Loads all operations.
 */
export async function secretPlaces() {
  const operations = (await everyOperation()).map(({ operation }) => operation);
  const secretNames = new Set(operations.flatMap(secretNamesOf));
  // The credential comes right after `prefix`; if it is not in the path at all, `prefix` is the whole path.
  const places = operations.flatMap((operation) => {
    const names = sensitiveNamesOf(operation);
    const parts = operation.path.split('/').slice(1);
    const at = parts.findIndex((part) => names.includes(part.slice(1, -1)));
    const prefix = at < 0 ? parts : parts.slice(0, at);
    return names.length === 0 ? [] : [{ names, prefix, inPath: at >= 0 }];
  });
  /** Splits a path or a URL before its credential; `names` are the fields of credentials in its request and response. */
  const split = (path: string) => {
    const parts = path.split('/');
    const plain = parts.map((part) => decoded(part).toLowerCase());
    // A URL has its origin, and perhaps a path of the base URL, before the path of the operation.
    for (const { names, prefix, inPath } of places)
      for (let start = 0; start + prefix.length <= parts.length; start++) {
        if (!prefix.every((part, i) => fits(part, plain[start + i]!))) continue;
        const at = inPath ? start + prefix.length : parts.length;
        return { names, before: parts.slice(0, at), credential: parts.slice(at) };
      }
    return { names: [], before: parts, credential: [] };
  };
  const maskPath = (path: string): string => {
    const { before, credential } = split(path);
    return credential.length === 0 ? path : [...before, MASK].join('/');
  };
  return {
    /** Masks a path or URL from its credential on. */
    maskPath,
    /** Lists the credentials in a path, as written and decoded. */
    textsIn: (path: string): readonly string[] =>
      split(path).credential.flatMap((part) => [part, decoded(part)]),
    /** The field names of credentials in a request to this path and its response. */
    namesAt: (path: string): readonly string[] => split(path).names,
    /** Makes the function that is true for secret fields in a request to the path or its response. */
    isSecretAt(path: string): IsSecret {
      const names = new Set([...secretNames, ...split(path).names]);
      return (name) => isSecretName(name) || SESSION_ID.test(name) || names.has(name);
    },
  };
}

/** True if the segment of a path may be this part of an operation's path; a placeholder fits any. */
const fits = (part: string, segment: string): boolean =>
  part.startsWith('{') || part.toLowerCase() === segment;

const decoded = (part: string): string => ifPossible(() => decodeURIComponent(part)) ?? part;
