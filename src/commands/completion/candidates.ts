// Completion candidates known on this machine: names of contexts, recorded changes, and ids seen here, each with a
// short description. Reads small files only, and never blocks.

import { join } from 'node:path';
import { fileNames } from '../../base/paths.ts';
import type { Config, StoredContext } from '../../config/file.ts';
import { resolveSettings, SANDBOX } from '../../config/settings.ts';
import { type Candidate, type IdPlaces, isIdOf, knownIds, textOf } from '../../history/seen-ids.ts';

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

/** The settings, not judged: what is wrong with them is said when a command runs. */
function configIn({ configDir }: CandidateQuery): Config {
  const text = textOf(join(configDir(), fileNames.config));
  return text === '' ? {} : ((JSON.parse(text.replace(/^\ufeff/, '')) ?? {}) as Config);
}

function contexts(query: CandidateQuery): readonly Candidate[] {
  const stored = Object.entries(configIn(query).contexts ?? {});
  const named = stored.filter(([name]) => CONTEXT.test(name));
  return [
    ...named.map(([name, context]): Candidate => [
      name,
      originOf((context as StoredContext | null)?.baseUrl),
    ]),
    [SANDBOX, 'the embedded service'],
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
  const { context, baseUrl, env } = query;
  const { settings } = resolveSettings({ context, baseUrl }, env, configIn(query));
  return knownIds(asked, { ...query, ...settings }).filter(([id]) => !typed.includes(id));
}

/** The origin alone: an address may hold a password. */
const originOf = (address: unknown): string =>
  typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : '';
