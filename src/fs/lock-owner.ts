// Who holds a lock: a process, told apart from others that had or will have the same id, here or on another machine.
// The one place that asks about processes; claims death only of those of this very boot and process namespace.

import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, platform, uptime } from 'node:os';
import { codeOf } from './io-errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in the system's own unit; empty where the system does not tell. */
  readonly startedAt: string;
  /** The name of the machine: for people only, because clones and containers share names. */
  readonly host: string;
  /**
   * What process ids are unique in: this boot of a kernel, with its process and time namespaces. Empty where the
   * system does not tell.
   */
  readonly system: string;
}

/** What a lock file says. */
export interface LockOwner extends ProcessIdentity {
  /** The id of this holder: what `--force-unlock` names. */
  readonly nonce: string;
}

/** This process as a holder. */
export function thisProcess(): ProcessIdentity {
  return {
    pid: processId(),
    startedAt: startOf('self') ?? '',
    host: hostname(),
    system: thisSystem(),
  };
}

/** What a new lock of a holder says. */
export function formatOwner(holder: ProcessIdentity): LockOwner {
  return { ...holder, nonce: randomBytes(8).toString('hex') };
}

/** The holder that a lock file names, or undefined when it does not read as one. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const held = JSON.parse(text) as LockOwner | null;
    const whole = Number.isSafeInteger(held?.pid) && typeof held?.nonce === 'string';
    return whole && held !== null ? held : undefined;
  } catch {
    return undefined;
  }
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
  if (!isOnSameSystem(holder, here) || holder.startedAt === '') return false;
  return isRunning(holder.pid) && startOf(holder.pid) === holder.startedAt;
}

/** Whether both hold on the same boot of the same machine, and see the same processes. */
const isOnSameSystem = (holder: ProcessIdentity, here: ProcessIdentity): boolean =>
  here.system !== '' && holder.system === here.system;

/** The user and the group for which this process acts; nothing on Windows. A user need not have a name. */
export function currentUser(): { readonly uid: number; readonly gid: number } | undefined {
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

/** The id of this process. */
export const processId = (): number => process.pid;

/** Tells whether a process of this host has the id; one of another user counts. */
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
  try {
    // A container may show the processes of the machine around it, under other ids.
    if (readlinkSync('/proc/self') !== String(processId())) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/**
 * Start times are counted from the boot, and shifted in a time namespace. A namespace's number is given to another
 * one only after the processes in it have ended.
 */
function thisSystem(): string {
  if (platform() !== 'linux') return `${hostname()} booted ${bootMinute()}`;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return [boot, readlinkSync('/proc/self/ns/pid'), timeNamespace()].join(' ');
  } catch {
    return '';
  }
}

function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}

/** When the machine was started, as near as can be told where boots have no id. */
const bootMinute = (): number => Math.round((Date.now() / 1000 - uptime()) / 60);
