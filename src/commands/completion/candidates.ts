// Completion candidates from files of this machine: context names, recorded changes, and remembered IDs, each with a
// short description. Reads small files only, and never blocks.

import { join } from 'node:path';
import { fileNames } from '../../base/paths.ts';
import type { Config, StoredContext } from '../../config/file.ts';
import { resolveSettings, SANDBOX } from '../../config/settings.ts';
import { type Candidate, isIdOf, knownIds, MAX_OFFERED, textOf } from '../../history/seen-ids.ts';

export interface Machine {
  readonly configDir: () => string;
  readonly stateDir: () => string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The machine and the command line. */
interface CandidateQuery extends Machine {
  /** The values of `--context` and `--base-url`, if they are typed. */
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The platform on which the command's account must be. */
  readonly platform?: string | undefined;
  /** The words before the cursor: IDs among them are not offered again. */
  readonly words: readonly string[];
}

/** A history line from before a change is sent: its ID, the command, and the first changed ID. */
const CHANGE =
  /^\{"id":"([a-z0-9]{6,32})","startedAt":"[^"]*","command":"([a-z -]+)","ids":\[(?:"([\w-]+)")?/;
/** Context names, except those that would be read as flags. */
const CONTEXT = /^\w[\w-]{0,31}$/;

/** Returns the candidates of a kind: `context`, `change`, or a kind of ID. Empty if a file is invalid. */
export function candidates(kind: string, query: CandidateQuery): readonly Candidate[] {
  try {
    if (kind === 'context') return contexts(query).slice(0, MAX_OFFERED);
    if (kind === 'change') return changes(query).slice(0, MAX_OFFERED);
    return ids(kind, query);
  } catch {
    return [];
  }
}

/** Reads the settings without validating them: faults are reported when a command runs. */
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

/** Returns the recorded changes, newest first, each with its command and its first ID. */
function changes({ stateDir }: CandidateQuery): readonly Candidate[] {
  const lines = textOf(join(stateDir(), fileNames.history)).split('\n').toReversed();
  return lines.flatMap((line): readonly Candidate[] => {
    const [, id, command, first = ''] = CHANGE.exec(line) ?? [];
    return id === undefined || command === undefined ? [] : [[id, `${command} ${first}`.trim()]];
  });
}

/** Returns the IDs of a kind at the line’s service, except those on the line. */
function ids(kind: string, query: CandidateQuery): readonly Candidate[] {
  const typed = query.words.flatMap((word) => word.replace(/^--[a-z-]+=/, '').split(','));
  const posts = typed.filter((word) => isIdOf('post', word));
  const asked = { kind, platform: query.platform, posts };
  const { context, baseUrl, env } = query;
  const { settings } = resolveSettings({ context, baseUrl }, env, configIn(query));
  return knownIds(asked, { ...query, ...settings }).filter(([id]) => !typed.includes(id));
}

/** Returns only the origin, because an address may contain a password. */
const originOf = (address: unknown): string =>
  typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : '';
