// What `social __complete <kind> <word>…` answers a shell: names of contexts, changes on record, and ids seen on this
// machine, each with a word behind a tab. Asks no network, evaluates nothing of what was typed, loads next to nothing,
// and is silent about whatever goes wrong: a shell waits for it at every TAB.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { configDirFrom, stateDirFrom } from '../../base/paths.ts';
import { INVISIBLE } from '../../base/sanitize.ts';
import { isIdOf, isIdKind, type IdKind, seenPath } from '../../history/seen-file.ts';

export interface Asked {
  /** `context`, `change`, or a kind of id. */
  readonly kind: string;
  /** The other words on the line, as they stand there: `-C` and `--base-url` are read off them, and which ids are there. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configDir: string;
  readonly stateDir: string;
}

const MOST_BYTES = 1024 * 1024;
/** What the sandbox is kept under, whose address changes. */
const SANDBOX = 'sandbox';
const MOST_OFFERED = 60;
/** The line that is written before a change leaves: its id, the command, and the first thing that it is done to. */
const CHANGE =
  /^\{"id":"([a-z0-9]{6,32})","startedAt":"[^"]*","command":"([a-z -]+)","ids":\[(?:"([\w-]+)")?/;
/** The names that a context may have, less those that are read as flags; whatever else a file holds is none. */
const CONTEXT = /^\w[\w-]{0,31}$/;

/** The candidates, a line each; nothing where there are none, or where anything is not as it should be. */
export function candidates(asked: Asked): string {
  try {
    return (
      foundFor(asked)
        .slice(0, MOST_OFFERED)
        // What is kept was made safe before, but a file can be changed.
        .map(([value, word]) => `${value}\t${word.replace(INVISIBLE, '').replaceAll('\t', ' ')}\n`)
        .join('')
    );
  } catch {
    return '';
  }
}

function foundFor(asked: Asked): readonly Candidate[] {
  if (asked.kind === 'context') return contexts(asked);
  return asked.kind === 'change' ? changes(asked) : ids(asked);
}

type Candidate = readonly [value: string, word: string];

interface Config {
  readonly context?: unknown;
  readonly contexts?: Readonly<Record<string, { readonly baseUrl?: unknown } | null>>;
}

function configIn({ configDir }: Asked): Config {
  const text = textOf(join(configDir, 'config.json'));
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
  const lines = textOf(join(stateDir, 'history.ndjson')).split('\n').toReversed();
  return lines.flatMap((line): readonly Candidate[] => {
    const [, id, command, first = ''] = CHANGE.exec(line) ?? [];
    return id === undefined || command === undefined ? [] : [[id, `${command} ${first}`.trim()]];
  });
}

/** The newest first, each once, of the service that the line is for; none that is on the line already. */
function ids(asked: Asked): readonly Candidate[] {
  const { kind } = asked;
  const origin = isIdKind(kind) ? placeOf(asked) : undefined;
  if (origin === undefined) return [];
  const file = seenPath(asked.stateDir);
  const prefix = `${origin}\t${kind}\t`;
  const there = new Set(asked.words.flatMap((word) => word.replace(/^--[a-z-]+=/, '').split(',')));
  const found = new Map<string, string>();
  for (const path of [file, `${file}.1`]) {
    const lines = textOf(path).split('\n');
    for (let i = lines.length - 1; i >= 0 && found.size < MOST_OFFERED; i--) {
      if (!lines[i]!.startsWith(prefix)) continue;
      const [id = '', word = ''] = lines[i]!.slice(prefix.length).split('\t');
      // An id that was only typed says nothing of itself; an answer before may have.
      if (isIdOf(kind as IdKind, id) && !there.has(id) && !found.get(id)) found.set(id, word);
    }
  }
  return [...found];
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
    const seen = fstatSync(fd);
    if (!seen.isFile() || seen.size > MOST_BYTES) return '';
    const bytes = Buffer.allocUnsafe(seen.size);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, seen.size, 0));
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
  const context =
    typed(asked.words, '-C', '--context') ?? (env['SOCIAL_CONTEXT'] || config.context);
  if (context === SANDBOX) return SANDBOX;
  const stored =
    typeof context === 'string' ? storedIn(config.contexts, context)?.baseUrl : undefined;
  return originOf(typed(asked.words, '', '--base-url') ?? (env['SOCIAL_BASE_URL'] || stored));
}

/** The value that was typed last for a flag: `-C x`, `-Cx`, `--context x`, `--context=x`. */
function typed(words: readonly string[], short: string, long: string): string | undefined {
  let found: string | undefined;
  for (const [i, word] of words.entries()) {
    if (word === '--') break;
    if (word === long || (short !== '' && word === short)) found = words[i + 1];
    else if (word.startsWith(`${long}=`)) found = word.slice(long.length + 1);
    else if (short !== '' && word.startsWith(short)) found = word.slice(short.length);
  }
  return found;
}

/** Without what an address may carry beside: a password is no word for a screen. */
function originOf(address: unknown): string | undefined {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : undefined;
}

// What a shell is told at a TAB: found with next to nothing loaded, for somebody is waiting with a finger on the key.

/** The candidates for a kind of value on a line, as the completion scripts read them. */
export function answerTab(
  [kind = '', ...words]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  home: () => string,
): string {
  const [configDir, stateDir] = [configDirFrom(env, home), stateDirFrom(env, home)];
  return candidates({ kind, words, env, configDir, stateDir });
}
