// The names that stand for IDs: how one looks, and where they are on this machine. Small, because completion loads it
// at every TAB.

import { join } from 'node:path';
import { fileNames } from '../base/paths.ts';

/** What stands before a name wherever an ID is expected. No ID begins with it. */
export const AT = '@';

/** The post last shown or changed: a name that nobody can set. */
export const LAST = 'last';

/** Names ignore case: they are kept in small letters. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const NAME_RULE =
  'must be 1 to 64 letters, digits, - and _, beginning with a letter or a digit';

/** A name as it is kept, from how it was typed: with the `@` or without. */
export const plainName = (typed: string): string =>
  (typed.startsWith(AT) ? typed.slice(AT.length) : typed).toLowerCase();

/** What is wrong with a plain name. */
export function nameProblem(name: string): string | undefined {
  if (name === LAST) return `cannot be ${LAST}: @${LAST} is the post last shown or changed`;
  if (name in Object.prototype) return `"${name}" is not allowed; choose another`;
  return NAME.test(name) ? undefined : NAME_RULE;
}

/** Whether the text of an ID is, or should have been, a name. */
export const isName = (text: string): boolean => text.startsWith(AT);

export interface NamedId {
  readonly name: string;
  readonly id: string;
  /** What it is an ID of, where that was known when the name was set. */
  readonly kind?: string | undefined;
}

export const namesPath = (configDir: string): string => join(configDir, fileNames.names);

/** The names in a parsed file; what is no name, or has no ID, is not among them. */
export function namesIn(stored: unknown, place: string): readonly NamedId[] {
  const all = (stored as { names?: Readonly<Record<string, unknown>> } | null)?.names;
  const here = all !== undefined && Object.hasOwn(all, place) ? all[place] : undefined;
  if (typeof here !== 'object' || here === null) return [];
  return Object.entries(here).flatMap(([name, value]): readonly NamedId[] => {
    const { id, kind } = (value ?? {}) as { id?: unknown; kind?: unknown };
    if (nameProblem(name) !== undefined || typeof id !== 'string') return [];
    return [{ name, id, ...(typeof kind === 'string' ? { kind } : {}) }];
  });
}

/** Where a call goes. */
export interface Located {
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly stored?: { readonly baseUrl?: string | undefined } | undefined;
}

/**
 * Where the names of a call are: with its context. Of a service that no context names, also of another one that
 * `--base-url` puts in the place of the context's own, they are with its origin: an ID belongs to one service.
 */
export function placeOfNames({ context, baseUrl, stored }: Located): string | undefined {
  const origin = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
  if (context === undefined || origin === undefined) return context ?? origin;
  const own = stored?.baseUrl;
  const isOwn = own === undefined || (URL.canParse(own) && new URL(own).origin === origin);
  return isOwn ? context : origin;
}
