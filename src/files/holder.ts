// Who holds a lock: a process, told apart from others that had or will have the same id.
// The one place that asks about processes; claims death only of those of this very host and process namespace.

import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from './trouble.ts';

export interface Holder {
  readonly pid: number;
  /** When the process started, in the host's own unit; empty where the host does not tell. */
  readonly startedAt: string;
  /** The host, with its process namespace where there are such: two containers may share a host name. */
  readonly host: string;
}

/** What a lock file says. */
export interface Held extends Holder {
  readonly nonce: string;
}

/** This process as a holder. */
export function thisProcess(): Holder {
  return { pid: ownId(), startedAt: startOf('self') ?? '', host: thisHost() };
}

/** What a new lock of a holder says. */
export function heldBy(holder: Holder): Held {
  return { ...holder, nonce: randomBytes(8).toString('hex') };
}

/** The holder that a lock file names, or undefined when it does not read as one. */
export function parseHeld(text: string): Held | undefined {
  try {
    const held = JSON.parse(text) as Held | null;
    const whole = Number.isSafeInteger(held?.pid) && typeof held?.nonce === 'string';
    return whole && held !== null ? held : undefined;
  } catch {
    return undefined;
  }
}

/** True only when the process is gone for certain: no such id on this host, or the id belongs to a later process. */
export function isProvablyDead(holder: Holder, here: Holder): boolean {
  if (holder.host !== here.host) return false;
  if (!isRunning(holder.pid)) return true;
  const started = startOf(holder.pid);
  return started !== undefined && holder.startedAt !== '' && started !== holder.startedAt;
}

/** The user and the group for which this process acts; nothing on Windows. A user need not have a name. */
export function ownUser(): { readonly uid: number; readonly gid: number } | undefined {
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

/** The id of this process. */
export const ownId = (): number => process.pid;

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
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function thisHost(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
