// Completion candidates known on this machine: names of contexts, recorded changes, and ids seen here, each with a short
// description. Reads small files only, and never blocks.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileNames } from '../../base/paths.ts';
import { isIdKind, seenPath, isIdOf, type IdKind } from '../../history/seen-file.ts';

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configDir: () => string;
  readonly stateDir: () => string;
}

/** The machine and the command line. */
export interface CandidateQuery extends Machine {
  /** The values of `--context` and `--base-url`, where they are typed. */
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The other words of the line: ids among them are not offered again. */
  readonly words: readonly string[];
}

export type Candidate = readonly [value: string, word: string];

const MAX_BYTES = 1024 * 1024;
/** Ids of the sandbox are stored under this name: its address changes. */
const SANDBOX = 'sandbox';
const MAX_OFFERED = 60;
/** A history line from before a change is sent: its id, the command, and the first id that it changes. */
const CHANGE =
  /^\{"id":"([a-z0-9]{6,32})","startedAt":"[^"]*","command":"([a-z -]+)","ids":\[(?:"([\w-]+)")?/;
/** The names that a context may have, less those that would be read as flags. */
const CONTEXT = /^\w[\w-]{0,31}$/;

/** The candidates of a kind: `context`, `change`, or a kind of id. None where a file is invalid. */
export function candidates(kind: string, query: CandidateQuery): readonly Candidate[] {
  const find = kind === 'context' ? contexts : kind === 'change' ? changes : ids;
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

/** The ids of the line's service, newest first, each once; none that is on the line already. */
function ids(query: CandidateQuery, kind: string): readonly Candidate[] {
  const origin = isIdKind(kind) ? serviceOf(query) : undefined;
  if (origin === undefined) return [];
  const file = seenPath(query.stateDir());
  const prefix = `${origin}\t${kind}\t`;
  const there = new Set(query.words.flatMap((word) => word.replace(/^--[a-z-]+=/, '').split(',')));
  const seen = new Map<string, string>();
  for (const path of [file, `${file}.1`]) {
    const lines = textOf(path).split('\n');
    for (let i = lines.length - 1; i >= 0 && seen.size < MAX_OFFERED; i--) {
      if (!lines[i]!.startsWith(prefix)) continue;
      const [id = '', word = ''] = lines[i]!.slice(prefix.length).split('\t');
      // A typed id has no description; the same id from an earlier answer may have one.
      if (isIdOf(kind as IdKind, id) && !there.has(id) && !seen.get(id)) seen.set(id, word);
    }
  }
  return [...seen];
}

/** The text of a small regular file, else an empty text. A pipe must not block the shell. */
function textOf(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const status = fstatSync(fd);
    if (!status.isFile() || status.size > MAX_BYTES) return '';
    const bytes = Buffer.allocUnsafe(status.size);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, status.size, 0));
  } finally {
    closeSync(fd);
  }
}

/** A context by its own name: `constructor` is none. */
const storedIn = <T>(all: Readonly<Record<string, T>> = {}, name: string): T | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined;

/** The origin of the line's service, where it is known. */
function serviceOf(query: CandidateQuery): string | undefined {
  const { env } = query;
  const config = configIn(query);
  const context = query.context ?? (env['SOCIAL_CONTEXT'] || config.context);
  if (context === SANDBOX) return SANDBOX;
  const stored =
    typeof context === 'string' ? storedIn(config.contexts, context)?.baseUrl : undefined;
  return originOf(query.baseUrl ?? (env['SOCIAL_BASE_URL'] || stored));
}

/** The origin alone: an address may hold a password. */
function originOf(address: unknown): string | undefined {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : undefined;
}
