// Credentials that are not known by their value: by the place in a path and by the field, as the operations declare
// them, and by likely names in JSON of which nothing is declared. What is known by its value is masked in `redact.ts`.

import { ifPossible } from '../base/errors.ts';

import { everyOperation } from '../api/operations/registry.ts';
import { secretNamesOf, sensitiveNamesOf } from '../api/operations/fields.ts';
import { MASK } from './redact.ts';

const SECRET =
  /secret$|passw(?:or)?d$|(?:^|[-_]|access|refresh|api|auth|bearer|session)token$|(?:[-_]|api|access|private)key$|[-_]auth$|cookie|authorization/i;

/** Tells by the name of a field, a header or a parameter whether it is likely to hold a secret. */
export const isSecretName = (name: string): boolean => SECRET.test(name);

export type IsSecret = (name: string) => boolean;

/** Every text in a value that may be secret. */
export function secretTexts(
  value: unknown,
  secret: IsSecret = isSecretName,
  within = false,
): readonly string[] {
  if (typeof value === 'string') return within ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => secretTexts(item, secret, within));
  return Object.entries(value).flatMap(([name, inner]) =>
    secretTexts(inner, secret, within || secret(name)),
  );
}

/** Returns a copy of the value with a mask in place of every secret. */
export function maskNamed(
  value: unknown,
  secret: IsSecret = isSecretName,
  within = false,
): unknown {
  if (typeof value === 'string') return within ? MASK : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskNamed(item, secret, within));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      maskNamed(inner, secret, within || secret(name)),
    ]),
  );
}

/** A pairing's id, in whatever way an answer spells it. It may be typed, and is shown in the result about it alone. */
const SESSION_ID = /session[-_]?id$/i;

export type SecretPlaces = Awaited<ReturnType<typeof secretPlaces>>;

/**
 * Credentials by where they stand: those of paths, and those of JSON by the fields that the operations declare. Loads
 * all operations: they say which of their fields are credentials.
 */
export async function secretPlaces() {
  const operations = (await everyOperation()).map(({ operation }) => operation);
  const secret = new Set(operations.flatMap(secretNamesOf));
  const places = operations.flatMap((operation) => {
    const names = sensitiveNamesOf(operation);
    const parts = operation.path.split('/').slice(1);
    const at = parts.findIndex((part) => names.includes(part.slice(1, -1)));
    const prefix = at < 0 ? parts : parts.slice(0, at);
    return names.length === 0 ? [] : [{ names, prefix, inPath: at >= 0 }];
  });
  /** Where in the parts of a path or a URL the credential stands, and what it is called. */
  const find = (parts: readonly string[]) => {
    const plain = parts.map((part) => decoded(part).toLowerCase());
    for (const { names, prefix, inPath } of places)
      for (let start = 0; start + prefix.length <= plain.length; start++)
        if (prefix.every((part, i) => fits(part, plain[start + i])))
          return { names, at: inPath ? start + prefix.length : Infinity };
    return undefined;
  };
  const maskPath = (path: string): string => {
    const parts = path.split('/');
    const found = find(parts);
    if (found === undefined || found.at >= parts.length) return path;
    return [...parts.slice(0, found.at), MASK].join('/');
  };
  const namesAt = (path: string) => find(path.split('/'))?.names ?? [];
  return {
    /** A path or a URL, with a mask for all that follows such a place. */
    maskPath,
    /** Masks each word of a line as a path. */
    maskWords: (line: string) => line.split(' ').map(maskPath).join(' '),
    /** The credentials in a path, as they came and as they are meant. */
    textsIn(path: string): readonly string[] {
      const parts = path.split('/');
      const found = find(parts);
      return found === undefined
        ? []
        : parts.slice(found.at).flatMap((part) => [part, decoded(part)]);
    },
    /** The names under which a request to this path and its answer hold a credential. */
    namesAt,
    /** Makes the function that tells whether a field of this name is secret in a request to the path or its answer. */
    isSecretAt(path: string): IsSecret {
      const names = new Set([...secret, ...namesAt(path)]);
      return (name) => isSecretName(name) || SESSION_ID.test(name) || names.has(name);
    },
  };
}

const fits = (part: string, segment: string | undefined): boolean =>
  part.toLowerCase() === segment || (part.startsWith('{') && segment !== undefined);

const decoded = (part: string): string => ifPossible(() => decodeURIComponent(part)) ?? part;
