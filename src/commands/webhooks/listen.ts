// `webhooks listen`: accepts any POST on the loopback address, stores, prints and forwards it. A delivery gets a 200
// only when it can no longer be lost: when it is on the disk, or without a file when it is printed.

import { once, setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { asFailure, Failure, ifPossible } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import { toJson } from '../../base/json.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import { isLoopbackHost, portOf } from '../../base/url.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { refuseFaults } from '../../cli/run-command.ts';
import { openTransport, transportOptions } from '../../client/transport/open-transport.ts';
import { isJsonForm } from '../../config/flags.ts';
import { appendDurably, countLines } from '../../fs/append-log.ts';
import { rawCell } from '../../output/cell.ts';
import { pick, valueAt } from '../../output/table-view.ts';
import { oncePerLine } from '../../output/wrap.ts';
import {
  type Arrival,
  close,
  createHttpServer,
  type HttpError,
  httpError,
  listen,
  refuseWebPage,
  send,
} from '../../server/http-server.ts';
import {
  type Delivery,
  deliveryLine,
  type DeliveryRecord,
  recordOf,
  forwardedHeaders,
} from './delivery.ts';

/** The time after a signal for responding to deliveries that have arrived, and for forwarding them. */
const GRACE_MS = 2_000;

interface ListenFlags {
  /** Port 0 means any free port. */
  readonly port?: number;
  /** The file to which deliveries are appended. */
  readonly append?: string;
  readonly forwardTo?: string;
}

/** The number of deliveries by result. */
interface Counts {
  /** Deliveries that were answered with 200. */
  received: number;
  /** Requests that were not a delivery. */
  refused: number;
  /** Deliveries that were answered with 503. */
  notStored: number;
}

/** Listens until a signal, and throws its failure. */
export async function listenForDeliveries(call: Invocation): Promise<void> {
  const { runtime, form, settings } = call;
  const { stdout } = runtime;
  const { port = 0, append, forwardTo } = call.flags as ListenFlags;
  const faults: Fault[] = [];
  if (forwardTo !== undefined && isOwnAddress(forwardTo, port))
    faults.push({ field: '--forward-to', problem: 'is the address of this receiver' });
  refuseFaults(call, faults);
  const forwarder = forwardTo === undefined ? undefined : openForwarder(call, forwardTo);
  // A file that cannot be written is reported before anything listens.
  if (append !== undefined) appendDurably(append, '');
  /** The lines of the file, or of stdout: the last one is the number of the last delivery. */
  let counted = append === undefined ? undefined : countLines(append);
  let printed = 0;
  const lineOf = lineFormat(call);
  const counts: Counts = { received: 0, refused: 0, notStored: 0 };
  /** Without --append, aborts once stdout cannot be written: with the failure, or without one if its reader closed it. */
  const unwritable = new AbortController();
  const end = AbortSignal.any([runtime.signal, unwritable.signal]);
  const note = (line: string) => void runtime.stderr.write(`webhooks: ${line}\n`);
  const noteOnce = oncePerLine(note);

  /**
   * Stores a record in the file and prints it, or only prints it. Resolves with its number; rejects if it may be lost.
   */
  const store = async (record: DeliveryRecord): Promise<number> => {
    if (append === undefined) {
      const id = ++printed;
      await stdout.write(lineOf(record, id));
      if (stdout.gone === true) throw new Error('stdout is closed, and there is no --append');
      return id;
    }
    appendDurably(append, deliveryLine(record));
    // Others may append to the file or rename it. It is stored also where it cannot be counted.
    counted = ifPossible(() => countLines(append, counted));
    const id = counted?.lines ?? 0;
    // The response does not wait for the reader of stdout.
    stdout
      .write(lineOf(record, id))
      .catch((error: Error) => noteOnce(`${error.message}; the file has all of them`));
    return id;
  };
  /** Stores a delivery; resolves with its number, or `undefined` if it may be lost. */
  const accept = async (delivery: Delivery): Promise<number | undefined> => {
    try {
      const id = await store(recordOf(delivery));
      counts.received++;
      return id;
    } catch (error) {
      counts.notStored++;
      note(`not stored: a delivery, answered with 503 (${(error as Error).message})`);
      if (append === undefined)
        unwritable.abort(stdout.gone === true ? undefined : asFailure(error));
      return undefined;
    }
  };
  const receive = async ({ incoming, response, body }: Arrival): Promise<void> => {
    const { url: target = '', headersDistinct: headers } = incoming;
    const delivery = { time: runtime.now(), target, headers, body };
    const id = await accept(delivery);
    const status = id === undefined ? 503 : STORED;
    const closed = new Promise((resolve) => response.once('close', resolve));
    send(response, { status, headers: {}, body: '' });
    // The response has left once it is closed. A destroyed one may have emitted `close` already.
    if (!response.destroyed) await closed;
    if (id !== undefined) await forwarder?.forward(delivery, id);
  };

  // It accepts any Host header, because a tunnel sends its public name, and refuses web pages.
  const underway = new Set<Promise<void>>();
  const server = createHttpServer({
    refusal,
    async serve(arrival) {
      const exchange = receive(arrival);
      underway.add(exchange);
      await exchange.finally(() => underway.delete(exchange));
    },
    refuse(what, { status, code, message, headers: more = {} }) {
      counts.refused++;
      note(`refused ${what} (${status} ${code})`);
      const headers = { 'content-type': 'text/plain; charset=utf-8', ...more };
      return { status, headers, body: `${message}\n` };
    },
  });
  try {
    const url = `http://127.0.0.1:${await listen(server, port)}`;
    // With --jq this line is omitted: its filter is for deliveries.
    if (isJsonForm(form) && settings.jq === undefined) await stdout.write(`${toJson({ url })}\n`);
    note(`listening on ${url} until Ctrl-C`);
    if (!end.aborted) await once(end, 'abort');
  } finally {
    // It accepts no further delivery, and waits a moment for those that are complete.
    server.close();
    server.closeIdleConnections();
    await endedOrLate(underway);
    await close(server);
    forwarder?.close();
    await Promise.allSettled(underway);
  }
  const { reason } = end as { readonly reason: unknown };
  // The reader of stdout has closed it, which is not an error.
  if (!(reason instanceof Failure)) return;
  // Stdout could not be written.
  if (!runtime.signal.aborted) throw reason;
  const what = `stopped: ${summaryOf(counts)}`;
  throw new Failure(reason.kind, { what, details: counts });
}

/** True if forwarding to this URL would reach the receiver itself, and never end. */
function isOwnAddress(forwardTo: string, port: number): boolean {
  const url = new URL(forwardTo);
  return isLoopbackHost(url.hostname) && portOf(url) === port;
}

/** Formats `12 deliveries received, 1 refused`. */
function summaryOf({ received, refused, notStored }: Counts): string {
  const parts = [`${received} ${received === 1 ? 'delivery' : 'deliveries'} received`];
  if (refused > 0) parts.push(`${refused} refused`);
  if (notStored > 0) parts.push(`${notStored} not stored (answered with 503)`);
  return parts.join(', ');
}

function refusal(incoming: IncomingMessage): HttpError | undefined {
  if (incoming.method === 'POST') return refuseWebPage(incoming);
  const headers = { allow: 'POST' };
  return httpError(405, 'method_not_allowed', 'A delivery is a POST.', { headers });
}

/** Waits until all promises have ended, at most for the grace period. */
async function endedOrLate(promises: Iterable<Promise<unknown>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, GRACE_MS)));
  await Promise.race([Promise.allSettled(promises), late]);
  clearTimeout(timer);
}

const EVENT_WIDTH = 20;

/** The status of each answer that is shown: a delivery is shown once it is stored, and then it is answered so. */
const STORED = 200;

const COLUMNS = ['receivedAt', 'event', 'postId'];

type LineOf = (record: DeliveryRecord, id: number) => string;

/** Makes the function that formats a record: for a person, as TSV, or as JSON. */
function lineFormat({ form, settings }: Invocation): LineOf {
  const { fields, utc } = settings;
  if (isJsonForm(form))
    return (record) =>
      fields.length === 0 ? deliveryLine(record) : `${toJson(pick(record, fields))}\n`;
  if (form === 'tsv' || fields.length > 0)
    return (record, id) => {
      const cells = (fields.length === 0 ? COLUMNS : fields).map((path) => valueAt(record, path));
      const remark = remarkOf(record) ?? (isUnnamed(record) ? bodyInWords(record) : undefined);
      const all = fields.length === 0 ? [...cells, remark, STORED, id] : cells;
      return `${all.map(rawCell).join('\t')}\n`;
    };
  return (record, id) => {
    const { receivedAt, event, postId } = record;
    const cells = [
      utc ? receivedAt : new Date(receivedAt).toTimeString().slice(0, 'hh:mm:ss'.length),
      (isUnnamed(record) ? bodyInWords(record) : shownWords(event)).padEnd(EVENT_WIDTH),
      remarkOf(record) ?? shownWords(postId),
      `answered ${STORED}`,
      `#${id}`,
    ];
    return `${cells.join('  ')}\n`;
  };
}

const isUnnamed = ({ event, postId }: DeliveryRecord): boolean =>
  event === undefined && postId === undefined;

/** Names of events and post IDs are cut to this length. */
const MAX_SHOWN = 60;

/** A line for a person has this many of them. */
const MAX_WORDS = 50;

function shownWords(words: string | readonly string[] = '-'): string {
  const all = [words].flat();
  const shown = all.slice(0, MAX_WORDS).map((word) => excerpt(sanitizeLine(word), MAX_SHOWN));
  return shown.join(', ') + (all.length > MAX_WORDS ? ', …' : '');
}

/** Describes a body in which no event was found: `text/plain, 12 bytes`. Its text may be secret. */
function bodyInWords({ headers, body, bodyBase64 = '' }: DeliveryRecord): string {
  const [type = ''] = [headers['content-type'] ?? []].flat();
  const bytes = body === undefined ? Buffer.from(bodyBase64, 'base64') : Buffer.from(body);
  const size = `${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
  return [shownWords(type.split(';')[0] || 'no type'), size].join(', ');
}

/** Says why a body cannot be read. */
const remarkOf = ({ unreadable }: DeliveryRecord): string | undefined =>
  unreadable && `unreadable: ${unreadable}`;

/**
 * Opens the connection to the URL to which deliveries are forwarded: each once, unchanged. Throws `local_io` for an
 * unusable CA file, `usage` for an unusable proxy.
 */
function openForwarder({ settings, runtime }: Invocation, url: string) {
  const transport = openTransport(transportOptions(url, settings, runtime));
  const stop = new AbortController();
  // Every forwarded delivery adds a listener.
  setMaxListeners(0, stop.signal);
  return {
    /** Forwards a stored delivery. The answer is one line on stderr, with its time; --quiet leaves only failures. */
    async forward(delivery: Delivery, id: number): Promise<void> {
      const headers = forwardedHeaders(delivery.headers);
      const request = { method: 'POST', url, headers, bytes: delivery.body } as const;
      const start = runtime.monotonic();
      const answer = await transport.send(request, stop.signal).then(
        ({ status }) => ({
          isOk: status >= 200 && status < 300,
          words: `forwarded, answered HTTP ${status} in`,
        }),
        (error: unknown) => {
          const { sent, what } = asFailure(error).facts;
          const words = `${sent ? 'forwarded, not answered' : 'not forwarded'}: ${what} after`;
          return { isOk: false, words };
        },
      );
      if (answer.isOk && settings.quiet) return;
      const time = `${Math.round(runtime.monotonic() - start)} ms`;
      const { event = 'a delivery', postId = '' } = recordOf(delivery);
      const name = `${shownWords(event)} ${shownWords(postId)}`.trimEnd();
      await runtime.stderr.write(`webhooks: #${id} ${name}: ${answer.words} ${time}\n`);
    },
    /** Aborts the requests in progress. */
    close(): void {
      stop.abort(new Failure('no_answer', { what: 'stopped before a response came' }));
      transport.close();
    },
  };
}
