// Process identity for locks: process, start time, host and namespace, so that a reused id is not taken for the owner.
// The one place that asks about processes; calls dead only those of this very boot and process namespace.

import { readFileSync, readlinkSync } from 'node:fs';
import { homedir, hostname, platform, uptime, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { ifPossible } from '../base/errors.ts';
import { codeOf } from './io-errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in the system's own unit; empty where that is unknown. */
  readonly startedAt: string;
  /** The name of the machine: for messages only, because clones and containers share names. */
  readonly host: string;
  /** The boot and the namespaces within which a process id is unique; empty where that is unknown. */
  readonly system: string;
}

/** The identity of this process. */
export function thisProcess(): ProcessIdentity {
  return {
    pid: processId(),
    startedAt: startOf('self') ?? '',
    host: hostname(),
    system: thisSystem(),
  };
}

/** True only when the process is gone for certain: no such id on this system, or the id belongs to a later process. */
export function isProvablyDead(holder: ProcessIdentity, here: ProcessIdentity): boolean {
  if (!isOnSameSystem(holder, here)) return false;
  if (!isRunning(holder.pid)) return true;
  const started = startOf(holder.pid);
  return started !== undefined && holder.startedAt !== '' && started !== holder.startedAt;
}

/** True only when the process runs for certain: the id is in use on this system, by a process of the same start. */
export function isProvablyAlive(holder: ProcessIdentity, here: ProcessIdentity): boolean {
  if (!isOnSameSystem(holder, here)) return false;
  return isRunning(holder.pid) && startOf(holder.pid) === holder.startedAt;
}

/** Whether both run on the same boot of the same machine, and see the same processes. */
const isOnSameSystem = (holder: ProcessIdentity, here: ProcessIdentity): boolean =>
  here.system !== '' && holder.system === here.system;

/** The effective user and group of this process; undefined on Windows, where files have neither, nor modes. */
export function currentUser(): { readonly uid: number; readonly gid: number } | undefined {
  const uid = process.geteuid?.();
  return uid === undefined ? undefined : { uid, gid: process.getegid!() };
}

/** The folders that Windows gives to a user alone. The last two may be on another drive, or a server. */
export const profileFolders = (): readonly string[] =>
  [homedir(), process.env['APPDATA'] ?? '', process.env['LOCALAPPDATA'] ?? ''].filter((folder) =>
    isAbsolute(folder),
  );

export const processId = (): number => process.pid;

/** The name of the user of this process, and of this machine. With sudo both users: `anna as deploy`. */
export function whoAndWhere(sudoUser: string | undefined): {
  readonly user: string;
  readonly host: string;
} {
  const name = accountName();
  const isOther = ![undefined, '', name].includes(sudoUser);
  return { user: isOther ? `${sudoUser} as ${name}` : name, host: hostname() };
}

/** A container may run as a user without a name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${currentUser()?.uid ?? 'unknown'}`;
  }
}

/** Whether a process of this host has the id; one of another user counts. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Field 22 of `/proc/<pid>/stat`; the second field may hold spaces and parentheses, so the count starts after it. */
function startOf(pid: number | 'self'): string | undefined {
  // Elsewhere another user may have made a folder of that name.
  if (platform() !== 'linux') return undefined;
  try {
    // A container may show the processes of the machine around it, under other ids.
    if (readlinkSync('/proc/self') !== String(processId())) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** A namespace's number is reused only after its processes. */
function thisSystem(): string {
  if (platform() !== 'linux') return `${hostname()} booted ${bootMinute()}`;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    // The kernel shifts start times for a reader in another time namespace. Old kernels have none.
    const time = ifPossible(() => readlinkSync('/proc/self/ns/time')) ?? '';
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${time}`;
  } catch {
    return '';
  }
}

/** When the machine was started, to the minute, where boots have no id. */
const bootMinute = (): number => Math.round((Date.now() / 1000 - uptime()) / 60);
