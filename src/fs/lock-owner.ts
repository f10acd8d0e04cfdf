// Process identity for locks: process, start time, host and namespace, so that a reused process ID is not mistaken for
// the owner. Only this file asks about processes, and it calls dead only those of the same boot and process namespace.

import { readFileSync, readlinkSync } from 'node:fs';
import { homedir, hostname, platform, uptime, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { ifPossible } from '../base/errors.ts';
import { codeOf } from './io-errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** The start of the process in the system's own unit; empty if it is unknown. */
  readonly startedAt: string;
  /** The name of the machine: for messages only, because clones and containers share names. */
  readonly host: string;
  /** The boot and the namespaces within which a process ID is unique; empty if they are unknown. */
  readonly system: string;
}

export function thisProcess(): ProcessIdentity {
  return {
    pid: processId(),
    startedAt: startOf('self') ?? '',
    host: hostname(),
    system: thisSystem(),
  };
}

/** True only if the process is certainly gone: its ID is not in use on this system, or belongs to a later process. */
export function isProvablyDead(holder: ProcessIdentity, here: ProcessIdentity): boolean {
  if (!isOnSameSystem(holder, here)) return false;
  if (!isRunning(holder.pid)) return true;
  const started = startOf(holder.pid);
  return started !== undefined && holder.startedAt !== '' && started !== holder.startedAt;
}

/** True only if the process certainly runs: its ID is in use on this system, by a process with the same start. */
export function isProvablyAlive(holder: ProcessIdentity, here: ProcessIdentity): boolean {
  if (!isOnSameSystem(holder, here)) return false;
  return isRunning(holder.pid) && startOf(holder.pid) === holder.startedAt;
}

/** True if both run on the same boot of the same machine, and see the same processes. */
const isOnSameSystem = (holder: ProcessIdentity, here: ProcessIdentity): boolean =>
  here.system !== '' && holder.system === here.system;

/**
 * Returns the effective user and group of this process; `undefined` on Windows, where files have neither owner nor
 * mode.
 */
export function currentUser(): { readonly uid: number; readonly gid: number } | undefined {
  const uid = process.geteuid?.();
  return uid === undefined ? undefined : { uid, gid: process.getegid!() };
}

/** The folders that Windows reserves for one user. The last two may be on another drive or a server. */
export const profileFolders = (): readonly string[] =>
  [homedir(), process.env['APPDATA'] ?? '', process.env['LOCALAPPDATA'] ?? ''].filter((folder) =>
    isAbsolute(folder),
  );

export const processId = (): number => process.pid;

/** Names the user of this process and this machine. With sudo it names both users: `anna as deploy`. */
export function whoAndWhere(sudoUser: string | undefined): {
  readonly user: string;
  readonly host: string;
} {
  const name = accountName();
  const isOther = ![undefined, '', name].includes(sudoUser);
  return { user: isOther ? `${sudoUser} as ${name}` : name, host: hostname() };
}

/** Names the user by number if there is no name, as in some containers. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${currentUser()?.uid ?? 'unknown'}`;
  }
}

/** True if a process of this host has the ID, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * Reads field 22 of `/proc/<pid>/stat`; the second field may contain spaces and parentheses, so the count starts after
 * it.
 */
function startOf(pid: number | 'self'): string | undefined {
  // On other systems another user may have made a folder of that name.
  if (platform() !== 'linux') return undefined;
  try {
    // A container may show the processes of its host, under other IDs.
    if (readlinkSync('/proc/self') !== String(processId())) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Identifies the boot and the namespaces. A namespace's number is reused only after its processes have ended. */
function thisSystem(): string {
  if (platform() !== 'linux') return `${hostname()} booted ${bootMinute()}`;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    // The kernel shifts start times for a reader in another time namespace. Old kernels have no time namespaces.
    const time = ifPossible(() => readlinkSync('/proc/self/ns/time')) ?? '';
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${time}`;
  } catch {
    return '';
  }
}

/** The minute in which the machine was started, for systems whose boots have no ID. */
const bootMinute = (): number => Math.round((Date.now() / 1000 - uptime()) / 60);
