// Completion candidates known on this machine: names of contexts, recorded changes, and ids seen here, each with a
// short description. Reads small files only, and never blocks.

import { join } from 'node:path';
import { fileNames } from '../../base/paths.ts';
import {
  type Candidate,
  type IdPlaces,
  knownIds,
  type Located,
  SANDBOX_IDS,
  textOf,
} from '../../history/known-ids.ts';
import { isIdOf } from '../../history/seen-file.ts';

export interface Machine extends IdPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The machine and the command line. */
interface CandidateQuery extends Machine {
  /** The values of `--context` and `--base-url`, where they are typed. */
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The platform that the command's account is on. */
  readonly platform?: string | undefined;
  /** The other words of the line: ids among them are not offered again. */
  readonly words: readonly string[];
}

const MAX_OFFERED = 60;
/** A history line from before a change is sent: its id, the command, and the first id that it changes. */
const CHANGE =
  /^\{"id":"([a-z0-9]{6,32})","startedAt":"[^"]*","command":"([a-z -]+)","ids":\[(?:"([\w-]+)")?/;
/** The names that a context may have, less those that would be read as flags. */
const CONTEXT = /^\w[\w-]{0,31}$/;

/** The candidates of a kind: `context`, `change`, `id`, or a kind of id. None where a file is invalid. */
export function candidates(kind: string, query: CandidateQuery): readonly Candidate[] {
  const others = { context: contexts, change: changes } as const;
  const find = Object.hasOwn(others, kind) ? others[kind as keyof typeof others] : ids;
  try {
    return find(query, kind).slice(0, MAX_OFFERED);
  } catch {
    return [];
  }
}

interface Config {
  readonly context?: unknown;
  readonly contexts?: Readonly<Record<string, { readonly baseUrl?: unknown } | null>>;
}

function configIn({ configDir }: CandidateQuery): Config {
  const text = textOf(join(configDir(), fileNames.config));
  return text === '' ? {} : ((JSON.parse(text.replace(/^\ufeff/, '')) ?? {}) as Config);
}

function contexts(query: CandidateQuery): readonly Candidate[] {
  const named = Object.entries(configIn(query).contexts ?? {}).filter(([name]) =>
    CONTEXT.test(name),
  );
  return [
    ...named.map(([name, context]): Candidate => [name, originOf(context?.baseUrl) ?? '']),
    [SANDBOX_IDS, 'the embedded service'],
  ];
}

/** The recorded changes, newest first, each with its command and its first id. */
function changes({ stateDir }: CandidateQuery): readonly Candidate[] {
  const lines = textOf(join(stateDir(), fileNames.history)).split('\n').toReversed();
  return lines.flatMap((line): readonly Candidate[] => {
    const [, id, command, first = ''] = CHANGE.exec(line) ?? [];
    return id === undefined || command === undefined ? [] : [[id, `${command} ${first}`.trim()]];
  });
}

/** The IDs of a kind at the line’s service; none that is on the line already. */
function ids(query: CandidateQuery, kind: string): readonly Candidate[] {
  const there = new Set(query.words.flatMap((word) => word.replace(/^--[a-z-]+=/, '').split(',')));
  const posts = [...there].filter((word) => isIdOf('post', word));
  const known = knownIds(
    { kind, platform: query.platform, posts },
    { ...query, ...whereOf(query) },
  );
  return known.filter(([id]) => !there.has(id));
}

/** A context by its own name: `constructor` is none. */
const storedIn = <T>(all: Readonly<Record<string, T>> = {}, name: string): T | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined;

/** The context of the line and the origin of its service. */
function whereOf(query: CandidateQuery): Located {
  const { env } = query;
  const config = configIn(query);
  const given = query.context ?? (env['SOCIAL_CONTEXT'] || config.context);
  const context = typeof given === 'string' ? given : undefined;
  const typed = query.baseUrl ?? (env['SOCIAL_BASE_URL'] || undefined);
  if (context === SANDBOX_IDS) {
    // As in resolveSettings: a base URL replaces a sandbox that nobody named.
    const isNamed = (query.context ?? env['SOCIAL_CONTEXT']) === SANDBOX_IDS;
    return isNamed || typed === undefined ? { context } : { baseUrl: originOf(typed) };
  }
  const stored = context === undefined ? undefined : storedIn(config.contexts, context)?.baseUrl;
  return { context, baseUrl: originOf(typed ?? stored) };
}

/** The origin alone: an address may hold a password. */
function originOf(address: unknown): string | undefined {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : undefined;
}
