// What becomes of each delivery: verified, stored, printed, forwarded. It is answered with 200 only when it can no
// longer be lost: when it is on the disk, or without a file when it is printed.

import { createSemaphore } from '../../base/semaphore.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { openDurableLog } from '../../fs/durable-log.ts';
import { createNotes } from '../../sandbox/http-server.ts';
import { type Delivery, headerValues, RECORD_START, recordOf } from './delivery.ts';
import { createForwarder } from './forward.ts';
import { type Signing, verifySignature } from './signature.ts';
import { createStore } from './store-delivery.ts';

/** Deliveries that are stored at once; as JSON, a body has up to six times its size. */
const MAX_CONCURRENT = 32;

export interface IntakeOptions {
  /** The file that deliveries are appended to. */
  readonly append: string | undefined;
  readonly forwardTo: string | undefined;
  readonly signing: Signing | undefined;
  /** Whether a delivery that is not verified is refused. */
  readonly mustVerify: boolean;
}

/** How many deliveries there were, by what became of them. */
export type IntakeCounts = ReturnType<typeof noCounts>;

const noCounts = () => ({
  received: 0,
  verified: 0,
  refused: 0,
  notStored: 0,
  forwarded: 0,
  notForwarded: 0,
  notPrinted: 0,
});

export type Intake = Awaited<ReturnType<typeof openIntake>>;

/** Throws `local_io` for a file that cannot be appended to. */
export async function openIntake(call: LocalCall, options: IntakeOptions) {
  const { runtime, settings } = call;
  const { append, forwardTo, signing, mustVerify } = options;
  const note = (line: string) => void runtime.stderr.write(`${line}\n`);
  const notes = (what: string) => createNotes(`webhooks: ${what}`, note, runtime.now);
  const [refused, notStored] = [notes('refused'), notes('not stored:')];
  const open = (path: string) =>
    openDurableLog(path, RECORD_START, { deadHolders: runtime.deadHolders });
  const counts = noCounts();
  const openFailures = append === undefined ? undefined : () => open(`${append}.not-forwarded`);
  const onFailure = { openFailures, note: notes('not forwarded:') };
  const forwarder =
    forwardTo === undefined
      ? undefined
      : await createForwarder(forwardTo, settings, runtime, onFailure);
  const log = append === undefined ? undefined : open(append);
  const store = await createStore(call, log, counts);
  const refuse = (what: string, reason: string): void => {
    counts.refused++;
    refused(what, reason);
  };
  const take = async (delivery: Delivery): Promise<number> => {
    const { target, body, time } = delivery;
    const verdict = signing && verifySignature(signing, headerValues(delivery), body, time);
    if (mustVerify && verdict?.verified !== true) {
      refuse(`POST ${target}`, `401 ${verdict?.reason ?? 'not verified'}`);
      return 401;
    }
    const record = recordOf(delivery, verdict, signing?.scheme);
    try {
      await store.put(record);
    } catch (error) {
      counts.notStored++;
      notStored('a delivery, answered with 503', (error as Error).message);
      return 503;
    }
    counts.received++;
    if (verdict?.verified === true) counts.verified++;
    const count = (done: boolean) => counts[done ? 'forwarded' : 'notForwarded']++;
    void forwarder?.forward(delivery, record).then(count);
    return 200;
  };
  const turns = createSemaphore(MAX_CONCURRENT);
  // What has arrived keeps its turn after a signal.
  const { signal } = new AbortController();
  return {
    /** Resolves with the status of the answer. */
    take: (delivery: Delivery) => turns.run(signal, () => take(delivery)),
    /** Counts and notes a request that is no delivery. */
    noteRefused: refuse,
    counts,
    ended: store.ended,
    /** Gives what is being forwarded `graceMs` to end. */
    async close(graceMs: number): Promise<void> {
      await forwarder?.close(graceMs);
      log?.close();
    },
  };
}
