// Waits for what a call set going, and shows on stderr how it stands: live on a terminal, a line a change elsewhere.

import type { Result } from '../call/answer.ts';
import type { Input } from '../call/request.ts';
import {
  judgePairing,
  judgeTargets,
  targetsOf,
  type TargetState,
  type Verdict,
} from '../call/settle.ts';
import { waitUntilSettled } from '../call/wait.ts';
import { Failure } from '../errors.ts';
import { placesOf, type Operation } from '../operations/operation.ts';
import { toTable } from '../output/format.ts';
import { lineProgress } from '../output/progress.ts';
import { sanitizeLine } from '../output/sanitize.ts';
import { toView, valueAt } from '../output/view.ts';
import type { Progress } from '../world.ts';
import { call, patienceOf, type Calling } from './calling.ts';
import { showDuration } from './duration.ts';
import { readingFor } from './show.ts';
import { defaultWaiting, type Waiting } from './waiting-flags.ts';

export interface Awaited {
  readonly input: Input;
  readonly waiting: Waiting;
  /** What the call answered; a first look that need not be had again. */
  readonly first?: Result;
  /** The targets as they were before the call. */
  readonly before?: readonly TargetState[];
  /** The targets that count; all without it. */
  readonly wanted?: readonly string[];
}

export interface Ended {
  readonly data: unknown;
  /** What the command ends with after the data was shown; nothing when all is well. */
  readonly failure?: Failure;
}

/** Stays until it has settled, time is up, or the user has had enough; then the last state of it. */
export async function awaitSettled(calling: Calling, awaited: Awaited): Promise<Ended> {
  const { operation, settings, world } = calling;
  const { waiting, input, first } = awaited;
  const poll = operation.wait!.poll ?? operation;
  const looks = viewOf(calling, awaited, poll);
  const progress = await progressFor(calling);
  const start = world.monotonic();
  try {
    const { last, verdict } = await waitUntilSettled(
      {
        ...waiting,
        poll: () => call(calling, poll, only(poll, input), 0),
        judge: (seen, elapsedMs) => judge(awaited, operation, seen, elapsedMs, world.now()),
        onLook: (seen, { standing }) =>
          void looks(seen, standing, world.monotonic() - start).then((view) => progress.show(view)),
      },
      first,
      patienceOf(settings, world, 0),
      world.signal,
    );
    return { data: last.data, ...failureOf(verdict, calling, awaited) };
  } catch (error) {
    throw error instanceof Failure && error.kind === 'interrupted'
      ? stopped(error, calling, awaited)
      : error;
  } finally {
    progress.stop();
  }
}

/** The fields of an input that a read takes in its path. */
function only(poll: Operation, input: Input): Input {
  return Object.fromEntries(placesOf(poll).path.map((name) => [name, input[name]]));
}

function judge(
  { waiting, before, wanted }: Awaited,
  { wait }: Operation,
  seen: Result,
  elapsedMs: number,
  now: number,
): Verdict {
  if (wait!.kind === 'pairing') return judgePairing(seen.data, seen.serverTime ?? now);
  return judgeTargets(
    seen.data,
    { wanted, goals: waiting.goals, ...(before === undefined ? {} : { before }) },
    elapsedMs,
  );
}

/** Live where that can be drawn and somebody looks at it; else lines. */
async function progressFor({ settings, world }: Calling): Promise<Progress> {
  if (settings.quiet) return { show: () => undefined, stop: () => undefined };
  const live = settings.accessible ? undefined : await world.liveProgress();
  return live ?? lineProgress(world.stderr);
}

/** What to show after each look: everything for a live view, and what is new since the look before. */
function viewOf({ world, settings, operation }: Calling, { waiting }: Awaited, poll: Operation) {
  let shown = new Map<string, string>();
  return async (seen: Result, standing: string, elapsedMs: number) => {
    const states = statesOf(operation, seen.data);
    const at = `+${Math.round(elapsedMs / 1000)}s`;
    const changes = [...states]
      .filter(([name, status]) => shown.get(name) !== status)
      .map(([name, status]) => {
        const was = shown.get(name);
        return sanitizeLine(`${at} ${name} ${was === undefined ? '' : `${was} → `}${status}`);
      });
    shown = states;
    const reading = await readingFor(settings, world);
    const width = (world.stderr.columns ?? 80) - 2;
    const view = toView({ ...poll, columns: poll.columns.slice(0, 4) }, seen.data);
    const left = showDuration(
      Math.max(1000, Math.round((waiting.timeoutMs - elapsedMs) / 1000) * 1000),
    );
    const table = (await toTable(view, width, reading)).trimEnd();
    return { live: `${sanitizeLine(standing)}; gives up in ${left}\n\n${table}\n`, changes };
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '-');

/** What is watched, by name: each target's status, or the pairing's. */
function statesOf({ wait }: Operation, data: unknown): Map<string, string> {
  if (wait!.kind === 'pairing') return new Map([['pairing', textOf(valueAt(data, 'status'))]]);
  return new Map(targetsOf(data).map(({ platform, id, status }) => [`${platform} ${id}`, status]));
}

function failureOf(
  { state, standing }: Verdict,
  calling: Calling,
  awaited: Awaited,
): { failure?: Failure } {
  if (state === 'done') return {};
  const next = resumeLine(calling, awaited);
  if (state === 'pending') {
    const what = `still waiting after ${showDuration(awaited.waiting.timeoutMs)}: ${standing}`;
    return { failure: new Failure('still_pending', { what, next, sent: true, retryable: false }) };
  }
  const isPairing = calling.operation.wait!.kind === 'pairing';
  const what = isPairing
    ? standing
    : `${standing}, not all of them as ${awaited.waiting.goals.join(' or ')}`;
  const again = isPairing
    ? {}
    : { next: `social posts retry ${String(awaited.input['postId'])} --failed` };
  return { failure: new Failure('ended_badly', { what, ...again, sent: true, retryable: false }) };
}

function stopped(failure: Failure, calling: Calling, awaited: Awaited): Failure {
  return new Failure('interrupted', {
    ...failure.facts,
    what: 'stopped waiting',
    next: resumeLine(calling, awaited),
  });
}

/** The command that takes the wait up again. */
function resumeLine({ operation, settings }: Calling, { input, wanted, waiting }: Awaited): string {
  const where = settings.context === undefined ? '' : `-C ${settings.context} `;
  if (operation.wait!.kind === 'pairing')
    return `social ${where}${operation.command} ${String(Object.values(input)[0])} --wait`;
  const targets = (wanted ?? []).map((id) => ` --target ${id}`).join('');
  const extra = waiting.goals.filter((goal) => !defaultWaiting.goals.includes(goal));
  const goals = extra.map((goal) => ` --for ${goal}`).join('');
  return `social ${where}posts wait ${String(input['postId'])}${targets}${goals}`;
}
