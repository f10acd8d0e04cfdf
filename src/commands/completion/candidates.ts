// Completion candidates known on this machine: names of contexts, recorded changes, and ids seen here, each with a
// short description. Reads small files only, and never blocks.

import { join } from 'node:path';
import { ownProperty } from '../../base/json.ts';
import { fileNames } from '../../base/paths.ts';
import {
  type Candidate,
  type IdPlaces,
  isIdOf,
  knownIds,
  type Located,
  SANDBOX_IDS,
  textOf,
} from '../../history/seen-ids.ts';

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
  /** The words before: ids among them are not offered again. */
  readonly words: readonly string[];
}

const MAX_OFFERED = 60;
/** A history line from before a change is sent: its id, the command, and the first id that it changes. */
const CHANGE =
  /^\{"id":"([a-z0-9]{6,32})","startedAt":"[^"]*","command":"([a-z -]+)","ids":\[(?:"([\w-]+)")?/;
/** The names that a context may have, less those that would be read as flags. */
const CONTEXT = /^\w[\w-]{0,31}$/;

/** The candidates of a kind: `context`, `change`, or a kind of id. None where a file is invalid. */
export function candidates(kind: string, query: CandidateQuery): readonly Candidate[] {
  try {
    if (kind === 'context') return contexts(query).slice(0, MAX_OFFERED);
    if (kind === 'change') return changes(query).slice(0, MAX_OFFERED);
    return ids(kind, query);
  } catch {
    return [];
  }
}

interface Config {
  readonly context?: string;
  readonly contexts?: Readonly<Record<string, { readonly baseUrl?: unknown } | null>>;
}

function configIn({ configDir }: CandidateQuery): Config {
  const text = textOf(join(configDir(), fileNames.config));
  return text === '' ? {} : ((JSON.parse(text.replace(/^\ufeff/, '')) ?? {}) as Config);
}

function contexts(query: CandidateQuery): readonly Candidate[] {
  const stored = Object.entries(configIn(query).contexts ?? {});
  const named = stored.filter(([name]) => CONTEXT.test(name));
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
function ids(kind: string, query: CandidateQuery): readonly Candidate[] {
  const typed = query.words.flatMap((word) => word.replace(/^--[a-z-]+=/, '').split(','));
  const posts = typed.filter((word) => isIdOf('post', word));
  const asked = { kind, platform: query.platform, posts };
  return knownIds(asked, { ...query, ...serviceOf(query) }).filter(([id]) => !typed.includes(id));
}

/** The context of the line and the origin of its service, as resolveSettings finds them. */
function serviceOf(query: CandidateQuery): Located {
  const { env } = query;
  const config = configIn(query);
  const named = query.context ?? (env['SOCIAL_CONTEXT'] || undefined);
  const typed = query.baseUrl ?? (env['SOCIAL_BASE_URL'] || undefined);
  const context = named ?? config.context;
  // A base URL replaces the sandbox, unless that was named for this call.
  if (context === SANDBOX_IDS && (named !== undefined || typed === undefined)) return { context };
  return { baseUrl: originOf(typed ?? ownProperty(config.contexts, context ?? '')?.baseUrl) };
}

/** The origin alone: an address may hold a password. */
function originOf(address: unknown): string | undefined {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : undefined;
}
