// The files that a batch reads and writes. A file that it writes must not be any of the others.

import { join } from 'node:path';
import type { Fault } from '../base/errors.ts';
import { fileNames } from '../base/paths.ts';
import { fileIdentity } from '../fs/linked-file-lock.ts';
import type { Runtime } from '../base/runtime.ts';
import { AUTO, type BatchSettings, parseReports } from './options.ts';
import { configPath } from '../config/file.ts';
import { historyPath } from '../history/entries.ts';
import { credentialsPath } from '../config/auth/token-store.ts';
import type { RawFlags } from '../config/choices.ts';

interface FileUse {
  /** Its name in messages. */
  readonly name: string;
  readonly place: string | number;
  readonly access: 'read' | 'write' | 'stream';
  /** Of a lock, the file that it is of. */
  readonly of?: string;
}

const read = (name: string, place: string | number): FileUse => ({ name, place, access: 'read' });
const written = (name: string, place: string): FileUse => ({ name, place, access: 'write' });
/** A stream of this process, which the shell has opened. */
const stream = (name: string, place: number): FileUse => ({ name, place, access: 'stream' });
const locked = (name: string, place: string) => [
  written(name, place),
  { ...written(`the lock of ${name}`, `${place}.lock`), of: place },
];

const nameOf = (key: string) => `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

/** A fault for each file that is another file of the batch too, where one of the two is written. */
export function fileFaults(
  batch: BatchSettings,
  flags: RawFlags,
  runtime: Runtime,
): readonly Fault[] {
  const uses = usesOf(batch, flags, runtime).map((use) => ({
    ...use,
    file: fileIdentity(use.place),
  }));
  return uses.flatMap((use, i) => {
    const { file, access } = use;
    const other = uses.slice(0, i).find((each) => file !== undefined && each.file === file);
    if (other === undefined || (other.access === access && access !== 'write')) return [];
    // The files themselves are named already.
    if (isOneLock(use, other)) return [];
    // The one that was typed can be changed.
    const [{ name: field }, clash] = use.name.startsWith('--') ? [use, other] : [other, use];
    const problem = `is the same file as ${clash.name}`;
    return [{ field, problem, fix: 'use a different file for each' }];
  });
}

/** Whether both are the lock of one file. */
const isOneLock = ({ of: one }: FileUse, { of: other }: FileUse): boolean =>
  one !== undefined && other !== undefined && fileIdentity(one) === fileIdentity(other);

function usesOf(batch: BatchSettings, flags: RawFlags, runtime: Runtime): FileUse[] {
  const { from, journal, failuresTo, unknownTo } = batch;
  const junit = parseReports(flags).reports?.junit;
  const tokenFile = runtime.env['SOCIAL_TOKEN_FILE'];
  const typed = Object.entries(flags).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '-',
  );
  const ending = (end: string) => typed.filter(([key]) => key.endsWith(end) && key !== end);
  return [
    ...(from === undefined ? [] : [read('--from', from === '-' ? 0 : from)]),
    ...ending('File').map(([key, path]) => read(nameOf(key), path)),
    ...typed.filter(([key]) => key === 'cacert').map(([key, path]) => read(nameOf(key), path)),
    ...(tokenFile ? [read('SOCIAL_TOKEN_FILE', tokenFile)] : []),
    written('the settings of this tool', configPath(runtime)),
    written('the file of stored tokens', credentialsPath(runtime)),
    written('the history of this tool', historyPath(runtime)),
    written('the sandbox', join(runtime.stateDir(), fileNames.sandbox)),
    stream('standard output', 1),
    stream('standard error', 2),
    ...ending('Out').map(([key, path]) => written(nameOf(key), path)),
    ...(journal === undefined || journal === AUTO ? [] : locked('--journal', journal)),
    ...(failuresTo === undefined ? [] : locked('--failures-to', failuresTo)),
    ...(unknownTo === undefined ? [] : locked('--unknown-to', unknownTo)),
    ...(junit === undefined ? [] : locked('--report', junit)),
  ];
}
