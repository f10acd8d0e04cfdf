// Passes deliveries on to another address, as they came. At most some at once and some waiting; one that does not get
// through is reported once and not repeated.

import { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { connectionHeaders } from '../../base/http.ts';
import { mayCarryToken, urlWithoutUserInfo } from '../../base/url.ts';
import { toJson } from '../../base/json.ts';
import { createSemaphore } from '../../base/semaphore.ts';
import type { DurableLog } from '../../fs/durable-log.ts';
import type { Settings } from '../../config/settings.ts';
import { connectionOptions } from '../../client/transport/tls.ts';
import { openTransport } from '../../client/transport/open-transport.ts';
import { type Delivery, type DeliveryRecord, headersOf } from './delivery.ts';

const MAX_CONCURRENT = 8;
const MAX_WAITING = 256;

/** What a delivery may be sent to: https, or this machine; a query is allowed, a password is not. */
export function deliveryUrlFault(text: string): string | undefined {
  const rule = 'must be https://…, or http:// to this machine (127.0.0.1, localhost)';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(text) || !/^https?:$/.test(url.protocol))
    return rule;
  if (url.username + url.password !== '') return `${rule}, without a user name or password`;
  return mayCarryToken(url) ? undefined : rule;
}

/** The other side has its own. */
const OWN_HEADERS = new Set([...connectionHeaders, 'proxy-authenticate']);

/** The headers of a delivery that are passed on. */
function passedOn(delivery: Delivery): Record<string, string> {
  const headers = headersOf(delivery);
  const named = (headers.get('connection') ?? []).flatMap((value) =>
    value.toLowerCase().split(/\s*,\s*/),
  );
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => !OWN_HEADERS.has(name) && !named.includes(name))
      .map(([name, values]) => [name, values.join(', ')]),
  );
}

interface OnFailure {
  readonly openFailures: (() => DurableLog) | undefined;
  readonly note: (what: string, reason: string) => void;
}

/**
 * Notes deliveries that do not get through, and stores them in the file of `openFailures`. Opens nothing yet. Throws
 * `local_io` for an unusable CA file, `usage` for an unusable proxy.
 */
export async function createForwarder(
  url: string,
  settings: Settings,
  runtime: Runtime,
  { openFailures, note }: OnFailure,
) {
  const transport = openTransport(await connectionOptions(url, settings, runtime, MAX_CONCURRENT));
  const turns = createSemaphore(MAX_CONCURRENT);
  const stop = new AbortController();
  const underway = new Set<Promise<boolean>>();
  let waiting = 0;
  let failures: DurableLog | undefined;

  /** Why it did not get through; undefined where it did. */
  const post = async (delivery: Delivery): Promise<string | undefined> => {
    if (waiting >= MAX_WAITING) return `${MAX_WAITING} deliveries are waiting already`;
    const { signal } = stop;
    const request = {
      method: 'POST',
      url,
      headers: passedOn(delivery),
      bytes: delivery.body,
    } as const;
    waiting++;
    try {
      const { status } = await turns.run(signal, () => transport.send(request, signal));
      return status >= 200 && status < 300 ? undefined : `HTTP ${status}`;
    } catch (error) {
      return error instanceof Failure ? error.facts.what : String(error);
    } finally {
      waiting--;
    }
  };
  const attempt = async (delivery: Delivery, record: DeliveryRecord): Promise<boolean> => {
    const error = await post(delivery);
    if (error === undefined) return true;
    const { event = 'a delivery', postId = '' } = record;
    note(`${event} ${postId}`.trim(), error);
    const at = new Date(runtime.now()).toISOString();
    const line = toJson({ ...record, forward: { url: urlWithoutUserInfo(url), at, error } });
    try {
      failures ??= openFailures?.();
      await failures?.append(`${line}\n`);
    } catch (cause) {
      note('and its failure is not stored', (cause as Error).message);
    }
    return false;
  };
  return {
    /** Resolves with whether it got through. Never rejects. */
    forward(delivery: Delivery, record: DeliveryRecord): Promise<boolean> {
      const done = attempt(delivery, record).finally(() => underway.delete(done));
      underway.add(done);
      return done;
    },
    /** Gives those under way `graceMs` to end, the others up. */
    async close(graceMs: number): Promise<void> {
      const timer = setTimeout(() => stop.abort(stopped()), graceMs);
      await Promise.allSettled(underway);
      clearTimeout(timer);
      await transport.close();
      failures?.close();
    },
  };
}

const stopped = () => new Failure('no_answer', { what: 'stopped before a response came' });
