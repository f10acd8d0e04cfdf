// What this machine knows of a value: names of contexts, changes on record, and ids seen here, each with a word of
// description. Reads two small files and waits for nothing.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileNames } from '../../base/paths.ts';
import { isIdKind, seenPath, isIdOf, type IdKind } from '../../history/seen-file.ts';

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configDir: () => string;
  readonly stateDir: () => string;
}

/** A machine, and what is on the line. */
export interface Asked extends Machine {
  /** The values of `--context` and `--base-url`, where they are typed. */
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The words but the one that is being typed: ids among them are not offered again. */
  readonly words: readonly string[];
}

export type Candidate = readonly [value: string, word: string];

const MOST_BYTES = 1024 * 1024;
/** What the sandbox is kept under, whose address changes. */
const SANDBOX = 'sandbox';
const MOST_OFFERED = 60;
/** The line that is written before a change leaves: its id, the command, and the first thing that it is done to. */
const CHANGE =
  /^\{"id":"([a-z0-9]{6,32})","startedAt":"[^"]*","command":"([a-z -]+)","ids":\[(?:"([\w-]+)")?/;
/** The names that a context may have, less those that are read as flags; whatever else a file holds is none. */
const CONTEXT = /^\w[\w-]{0,31}$/;

/** The candidates of a kind: `context`, `change`, or a kind of id. None where anything is not as it should be. */
export function candidates(kind: string, asked: Asked): readonly Candidate[] {
  try {
    return found(kind, asked).slice(0, MOST_OFFERED);
  } catch {
    return [];
  }
}

function found(kind: string, asked: Asked): readonly Candidate[] {
  if (kind === 'context') return contexts(asked);
  return kind === 'change' ? changes(asked) : ids(kind, asked);
}

interface Config {
  readonly context?: unknown;
  readonly contexts?: Readonly<Record<string, { readonly baseUrl?: unknown } | null>>;
}

function configIn({ configDir }: Asked): Config {
  const text = textOf(join(configDir(), fileNames.config));
  return text === '' ? {} : ((JSON.parse(text.replace(/^\ufeff/, '')) ?? {}) as Config);
}

function contexts(asked: Asked): readonly Candidate[] {
  const named = Object.entries(configIn(asked).contexts ?? {}).filter(([name]) =>
    CONTEXT.test(name),
  );
  return [
    ...named.map(([name, context]): Candidate => [name, originOf(context?.baseUrl) ?? '']),
    [SANDBOX, 'the embedded service'],
  ];
}

/** The changes on record, the newest first, each with what was done to what. */
function changes({ stateDir }: Asked): readonly Candidate[] {
  const lines = textOf(join(stateDir(), fileNames.history)).split('\n').toReversed();
  return lines.flatMap((line): readonly Candidate[] => {
    const [, id, command, first = ''] = CHANGE.exec(line) ?? [];
    return id === undefined || command === undefined ? [] : [[id, `${command} ${first}`.trim()]];
  });
}

/** The newest first, each once, of the service that the line is for; none that is on the line already. */
function ids(kind: string, asked: Asked): readonly Candidate[] {
  const origin = isIdKind(kind) ? placeOf(asked) : undefined;
  if (origin === undefined) return [];
  const file = seenPath(asked.stateDir());
  const prefix = `${origin}\t${kind}\t`;
  const there = new Set(asked.words.flatMap((word) => word.replace(/^--[a-z-]+=/, '').split(',')));
  const seen = new Map<string, string>();
  for (const path of [file, `${file}.1`]) {
    const lines = textOf(path).split('\n');
    for (let i = lines.length - 1; i >= 0 && seen.size < MOST_OFFERED; i--) {
      if (!lines[i]!.startsWith(prefix)) continue;
      const [id = '', word = ''] = lines[i]!.slice(prefix.length).split('\t');
      // An id that was only typed says nothing of itself; an answer before may have.
      if (isIdOf(kind as IdKind, id) && !there.has(id) && !seen.get(id)) seen.set(id, word);
    }
  }
  return [...seen];
}

/** The text of a small regular file; nothing of any other. A pipe must not keep a shell waiting. */
function textOf(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const status = fstatSync(fd);
    if (!status.isFile() || status.size > MOST_BYTES) return '';
    const bytes = Buffer.allocUnsafe(status.size);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, status.size, 0));
  } finally {
    closeSync(fd);
  }
}

/** A context by its name, which `constructor` is not. */
const storedIn = <T>(all: Readonly<Record<string, T>> = {}, name: string): T | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined;

/** The origin of the service that a line is for; nothing where that cannot be told. */
function placeOf(asked: Asked): string | undefined {
  const { env } = asked;
  const config = configIn(asked);
  const context = asked.context ?? (env['SOCIAL_CONTEXT'] || config.context);
  if (context === SANDBOX) return SANDBOX;
  const stored =
    typeof context === 'string' ? storedIn(config.contexts, context)?.baseUrl : undefined;
  return originOf(asked.baseUrl ?? (env['SOCIAL_BASE_URL'] || stored));
}

/** Without what an address may carry beside: a password is no word for a screen. */
function originOf(address: unknown): string | undefined {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : undefined;
}
