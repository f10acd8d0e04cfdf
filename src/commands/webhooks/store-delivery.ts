// Where a delivery goes before it is answered: into the file of `--append` and then, waiting for no reader, to stdout; or
// without a file to stdout, where it must be taken.

import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import type { DurableLog } from '../../fs/durable-log.ts';
import type { DeliveryRecord } from './delivery.ts';
import { deliveryPrinter } from './print-delivery.ts';

/** Characters that wait for a slow reader of stdout; further lines are in the file alone. */
const MAX_UNPRINTED = 8 * 1024 * 1024;

export interface DeliveryStore {
  /** Resolves when the record is safe; rejects where it is not. */
  put(record: DeliveryRecord): Promise<void>;
  /** Resolves at a signal, or when stdout is closed and there is no file; rejects when that cannot be printed. */
  readonly ended: Promise<void>;
}

/** `counts` are of records that are in the file, and not on stdout. */
export async function createStore(
  call: LocalCall,
  log: DurableLog | undefined,
  counts: { notPrinted: number },
): Promise<DeliveryStore> {
  const { stdout } = call.runtime;
  const lineOf = await deliveryPrinter(call);
  const end = endOf(call.runtime);
  if (log !== undefined) {
    const print = printer(call.runtime, counts);
    return {
      ended: end.ended,
      async put(record) {
        await log.append(`${toJson(record)}\n`);
        print(lineOf(record));
      },
    };
  }
  return {
    ended: end.ended,
    async put(record) {
      try {
        await stdout.write(lineOf(record));
      } catch (error) {
        end.fail(error as Error);
        throw error;
      }
      if (stdout.gone !== true) return;
      end.stop();
      throw new Error('stdout is closed, and there is no --append');
    },
  };
}

/** Prints lines without waiting for a reader. */
function printer({ stdout, stderr }: Runtime, counts: { notPrinted: number }) {
  let waiting = 0;
  const print = async (line: string) => {
    waiting += line.length;
    try {
      await stdout.write(line);
    } catch (error) {
      if (counts.notPrinted++ === 0)
        await stderr.write(`webhooks: ${(error as Error).message}; the file has all of them\n`);
    } finally {
      waiting -= line.length;
    }
  };
  return (line: string): void => {
    if (waiting > MAX_UNPRINTED) counts.notPrinted++;
    else if (stdout.gone !== true) void print(line);
  };
}

/** When to stop listening: at a signal, or when it is asked for. */
function endOf({ signal }: Runtime) {
  let stop!: () => void;
  let fail!: (error: Error) => void;
  const ended = new Promise<void>((resolve, reject) => {
    stop = resolve;
    fail = reject;
  });
  // It may fail before it is waited for.
  ended.catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return { ended, stop, fail };
}
