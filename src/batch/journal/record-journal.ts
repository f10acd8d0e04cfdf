// What the journal keeps of one record: its intent, what was accepted, and how each of its targets ended.

import type { Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import type { CallOutcome } from '../../client/call-context.ts';
import type { BatchItem } from '../read/records.ts';
import { HASHED, type JournalOutcome } from './format.ts';
import type { Journal } from './journal.ts';

/** What the request of a change was: the targets that it names, and the id that was sent with it. */
export interface SentChange {
  targets?: readonly string[] | undefined;
  requestId?: string;
}

interface RecordEnd extends Pick<SentChange, 'targets'> {
  readonly awaited: {
    /** The targets that were waited for; `undefined` where they are not known. */
    readonly targets?: readonly string[] | undefined;
    /** Whether these were all sent by an earlier run, and there was nothing to do of the record itself. */
    readonly isOthersAlone?: boolean;
  };
  readonly outcome: JournalOutcome;
  readonly ended: CallOutcome;
}

export type RecordJournal = ReturnType<typeof recordJournal>;

const LONGEST_ID = 64;

/** The journal of a batch, as the records of this operation use it. */
export function recordJournal(journal: Journal, operation: Operation) {
  const { parts: field = '' } = operation;
  const namedIn = ({ input }: BatchItem) => input[field] as readonly string[] | undefined;
  const hidden = fieldsOf(operation)
    .filter((each) => each.hidden)
    .map(({ name }) => name);
  /** The id of a record whose key is a hash; none where it is a credential. */
  const idOf = ({ input, key }: BatchItem): string | undefined => {
    const [name = '', id] = Object.entries(input)[0] ?? [];
    const isShown = typeof id === 'string' && id.length <= LONGEST_ID && !hidden.includes(name);
    return isShown && key.startsWith(HASHED) ? id : undefined;
  };
  /** These targets have been seen to be as wanted. */
  const done = ({ key }: BatchItem, targets: readonly string[]): void => {
    const news = targets.filter((target) => journal.targetOutcome(key, target) !== 'done');
    if (news.length > 0) journal.end(key, news, 'done', 0);
  };
  return {
    /** Resolves when the intent is on the disk: all that the request names, or the whole. */
    intend: (item: BatchItem, { targets, requestId }: SentChange): Promise<void> =>
      journal.intend(item.key, targets, { id: idOf(item), requestId }),
    /** The service has taken the change, and these targets are waited for. */
    accept(item: BatchItem, awaited: readonly string[] | undefined = namedIn(item)): void {
      if (namedIn(item) === undefined) journal.end(item.key, undefined, 'accepted', 0);
      if (awaited !== undefined) journal.end(item.key, awaited, 'accepted', 0);
    },
    done,
    /** Tells which targets an earlier run has sent, for a record of the whole; nothing where all may be sent. */
    sentBefore: (item: BatchItem) =>
      operation.parts === undefined || namedIn(item) !== undefined
        ? undefined
        : journal.sentBefore(item.key),
    /** How it ended: of a wait that ended badly, what failed has failed, and the rest is done. */
    end(item: BatchItem, { targets, awaited, outcome, ended: { failure, bad } }: RecordEnd): void {
      const { key } = item;
      const exit = failure?.exitCode ?? 0;
      const status = outcome === 'unknown' ? failure?.facts.status : undefined;
      // Of what was in flight only that is unknown which the request was about.
      const isOfTargets =
        awaited.isOthersAlone === true || (outcome === 'unknown' && targets !== undefined);
      if (namedIn(item) === undefined && !isOfTargets)
        journal.end(key, undefined, outcome, exit, status);
      const all = awaited.targets ?? targets ?? namedIn(item);
      const isSplit = outcome === 'failed' && bad !== undefined;
      const good = isSplit ? all?.filter((target) => !bad.includes(target)) : all;
      if (isSplit) journal.end(key, bad, outcome, exit);
      if (isSplit || outcome === 'done') done(item, good ?? []);
      else if (all !== undefined) journal.end(key, all, outcome, exit, status);
    },
  };
}
