// The reads of `history settle`, and the verdicts that they give.

import { get } from '../../api/operations/posts.ts';
import { commandNamesOf } from '../../api/operations/command-names.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import type { Settlement } from '../../api/operations/settle.ts';
import { Failure } from '../../base/errors.ts';
import { commandLine } from '../../base/shell.ts';
import type { CallContext } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { HistoryEntry } from '../../history/entries.ts';
import { clockOffset, type DatedAnswer, untilTelling } from '../../history/service-clock.ts';
import { conclude } from './conclude.ts';
import {
  type Asking,
  cannotTell,
  type Question,
  type Settled,
  type Settling,
} from './questions.ts';

interface Reading {
  /** The post; `gone` where the service has none. */
  readonly data: unknown;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serverTime: number | undefined;
}

type Readings = Map<string, Reading>;

const GONE = Symbol('gone');

/** Reads what has to be read as a batch, and writes and shows the verdicts. Throws the `Failure` of the batch. */
export async function settleQuestions(settling: Settling): Promise<void> {
  const { call, argv, batch, questions } = settling;
  const { settings, flags, runtime } = call;
  const inputs = new Map(
    questions.flatMap(({ asks }) =>
      'verdict' in asks ? [] : [[JSON.stringify(asks.input), asks.input] as const],
    ),
  );
  const readings: Readings = new Map();
  // A dry run writes no verdict.
  if (inputs.size === 0 && settings.dryRun) return runtime.note('nothing to read');
  if (inputs.size === 0) return conclude(settling, judgeAll(settling, readings));
  const { runBatch } = await import('../../batch/run-batch.ts');
  const prepared = {
    operation: get,
    fields: fieldsOf(get),
    hooks: {
      before: async (input: Input, callContext: CallContext) => ({
        input,
        instead: { ...(await look(input, callContext, readings)), warnings: [] },
      }),
      gather: (callContext: CallContext) => ({
        add: () => undefined,
        end: async () =>
          settings.dryRun
            ? undefined
            : conclude(settling, await judgeClosely(settling, readings, callContext)),
      }),
    },
    spelling: commandNamesOf(get)[0]!,
    typed: { operands: [], flags },
    command: 'social history settle',
    inputs: [...inputs.values()],
    shared: {},
    notes: [],
    paths: [],
    waiting: undefined,
    canaryWaiting: undefined,
    filter: undefined,
    batch,
    settings,
    flags,
    argv,
  };
  try {
    await runBatch(prepared, batch, runtime);
  } catch (error) {
    throw error instanceof Failure && error.kind === 'batch_failed'
      ? unread(error, inputs.size, argv)
      : error;
  }
}

/** The failure of the reads as what it means here. */
function unread({ facts }: Failure, count: number, argv: readonly string[]): Failure {
  const { failed } = facts.details as { readonly failed: number };
  return new Failure('batch_failed', {
    ...facts,
    what: `${failed} of ${count} posts could not be read`,
    next: commandLine(argv),
    hint: 'run it again: what is settled is not read a second time',
  });
}

/** Reads a post and keeps when; that there is none is an answer too. */
async function look(input: Input, callContext: CallContext, readings: Readings): Promise<Reading> {
  const { now } = callContext.runtime;
  const sentAt = now();
  const answer = await callOperation(callContext, get, input).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not_found')
      return { data: GONE, serverTime: undefined };
    throw error;
  });
  const { data, serverTime } = answer;
  const reading = { data, sentAt, receivedAt: now(), serverTime };
  readings.set(JSON.stringify(input), reading);
  return reading;
}

/** Further reads that narrow down the service's clock, at most. */
const MAX_READS = 6;

/** Judges; where the clocks are too coarse for a verdict, reads on until they are not. */
async function judgeClosely(
  settling: Settling,
  readings: Readings,
  callContext: CallContext,
): Promise<readonly Settled[]> {
  const { runtime, service } = callContext;
  const isExact = service.source === 'sandbox';
  const answers = [...datedIn(readings)];
  let settled = judgeAll(settling, readings, isExact);
  if (isExact) return settled;
  for (let reads = 0; reads < MAX_READS; reads++) {
    const close = settled.find(({ settlement }) => settlement.isClose === true)?.question.asks;
    if (close === undefined || 'verdict' in close) break;
    if (!(await untilTelling(answers, runtime))) break;
    // Without it, what is too close to tell stays so.
    const reading = await look(close.input, callContext, new Map()).catch(() => undefined);
    const answer = reading === undefined ? undefined : dated(reading);
    if (answer === undefined) break;
    answers.push(answer);
    settled = judgeAll(settling, readings, false, answers);
  }
  return settled;
}

function dated({ sentAt, receivedAt, serverTime }: Reading): DatedAnswer | undefined {
  return serverTime === undefined ? undefined : { sentAt, receivedAt, serverTime };
}

const datedIn = (readings: Readings): readonly DatedAnswer[] =>
  [...readings.values()].flatMap((reading) => dated(reading) ?? []);

/** The verdict on each question. The embedded service has the clock of this machine. */
function judgeAll(
  settling: Settling,
  readings: Readings,
  isExact = false,
  answers = datedIn(readings),
): readonly Settled[] {
  const offset = isExact ? { earliest: 0, latest: 0 } : clockOffset(answers);
  return settling.questions.map((question) => {
    const { asks } = question;
    if ('verdict' in asks) return { question, settlement: asks, isUnread: false };
    const reading = readings.get(JSON.stringify(asks.input));
    if (reading === undefined)
      return { question, settlement: cannotTell('it could not be read'), isUnread: true };
    const settlement = judged(question, asks, reading, offset);
    const other = settlement.verdict === 'done' ? otherRetry(question, settling) : undefined;
    if (other === undefined) return { question, settlement, isUnread: false };
    const why = `another change of this post was sent at ${other.startedAt} (${other.id})`;
    return { question, settlement: cannotTell(why), isUnread: false };
  });
}

function judged(
  { sentAt: at, sentUntil }: Question,
  asks: Asking,
  { data, sentAt }: Reading,
  offset: ReturnType<typeof clockOffset>,
): Settlement {
  if (data === GONE) return cannotTell('the service has no such post: it may have been deleted');
  if (offset === undefined) return cannotTell('the service’s answer has no date to compare with');
  try {
    const parts = asks.parts(data);
    if (parts === 'gone') return cannotTell('a target that was named is gone');
    return asks.operation.settle!.judge(data, {
      parts,
      sent: { earliest: at + offset.earliest, latest: at + offset.latest },
      ageMs: sentAt - sentUntil,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return cannotTell(error.facts.what);
  }
}

/** How long before or after it another change may explain what is seen. */
const NEAR_MS = 15 * 60_000;

/** Another change of the same post from this machine, at about that time, that may have been done. */
function otherRetry(
  { ids, sentAt, entry, request }: Question,
  { history, journals }: Settling,
): HistoryEntry | undefined {
  const own = new Set(
    journals.flatMap(({ path, entries }) => [path, ...entries.map(({ id }) => id)]),
  );
  return history.find(
    (each) =>
      each.id !== entry?.id &&
      !(request !== undefined && own.has(each.id)) &&
      !['refused', 'unsent'].includes(each.outcome) &&
      each.verdict !== 'not done' &&
      each.command.endsWith('retry') &&
      each.ids.includes(ids[0] ?? '') &&
      Math.abs(Date.parse(each.startedAt) - sentAt) <= NEAR_MS,
  );
}
