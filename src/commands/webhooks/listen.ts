// `webhooks listen`: accepts any POST on the loopback address, stores, prints and forwards it. A delivery gets a 200
// only when it can no longer be lost: when it is on the disk, or without a file when it is printed.

import { once, setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { connectionHeaders } from '../../base/http.ts';
import { toJson } from '../../base/json.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import { isLoopbackHost } from '../../base/url.ts';
import type { Call } from '../../cli/command-spec.ts';
import { refuseFaults } from '../../cli/run-command.ts';
import { openTransport, transportOptions } from '../../client/transport/open-transport.ts';
import { isJsonForm } from '../../config/flags.ts';
import { appendDurably } from '../../fs/append-log.ts';
import { rawCell } from '../../output/cell.ts';
import { colorsFor } from '../../output/color.ts';
import { pick, valueAt } from '../../output/table-view.ts';
import { asFailure } from '../../output/error-report.ts';
import { close, createHttpServer, listen, refuseWebPage, send } from '../../sandbox/http-server.ts';
import { type HttpError, httpError } from '../../sandbox/responses.ts';
import { type Delivery, deliveryLine, type DeliveryRecord, recordOf } from './delivery.ts';
import { type DeliveryHeaders, readSigning, verifySignature } from './signature.ts';

/** The time after a signal for responding to deliveries that have arrived, and then for forwarding. */
const GRACE_MS = 2_000;

interface ListenFlags {
  readonly port?: number;
  /** The file to which deliveries are appended. */
  readonly append?: string;
  readonly forwardTo?: string;
  /** Set if an unverified delivery is rejected. */
  readonly requireVerified?: true;
}

/** The number of deliveries by result. */
interface Counts {
  /** Deliveries that were answered with 200. */
  received: number;
  /** Those of them with a valid signature. */
  verified: number;
  /** Requests that were not a delivery, or were not verified although --require-verified is set. */
  refused: number;
  /** Deliveries that were answered with 503. */
  notStored: number;
}

/** Listens until a signal, and throws its failure. */
export async function listenForDeliveries(call: Call): Promise<void> {
  const { runtime, form, settings } = call;
  const { port = 0, append, forwardTo, requireVerified } = call.flags as ListenFlags;
  const faults: Fault[] = [];
  const signing = await readSigning(call, faults);
  refuseFaults(call, faults);
  const counts: Counts = { received: 0, verified: 0, refused: 0, notStored: 0 };
  const forwarder = forwardTo === undefined ? undefined : await createForwarder(call, forwardTo);
  // A file that cannot be written is reported before anything listens.
  if (append !== undefined) appendDurably(append, '');
  const printer = await createPrinter(call);
  const end = AbortSignal.any([runtime.signal, printer.broken]);
  const note = (line: string) => void runtime.stderr.write(`webhooks: ${line}\n`);
  const refuse = (what: string, reason: string): void => {
    counts.refused++;
    note(`refused ${what} (${reason})`);
  };

  /** Checks, stores and forwards a delivery. Resolves with the status of the response. */
  const handle = async (delivery: Delivery): Promise<number> => {
    const { target, headers, body, time } = delivery;
    const check = signing && verifySignature(signing, headers, body, time);
    if (requireVerified === true && check?.verified !== true) {
      refuse(`POST ${target}`, `401 ${check?.reason ?? 'not verified'}`);
      return 401;
    }
    const record = recordOf(delivery, check, signing?.scheme);
    try {
      if (append === undefined) await printer.print(record);
      else {
        appendDurably(append, deliveryLine(record));
        void printer.printLater(record);
      }
    } catch (error) {
      counts.notStored++;
      note(`not stored: a delivery, answered with 503 (${(error as Error).message})`);
      return 503;
    }
    counts.received++;
    if (check?.verified === true) counts.verified++;
    forwarder?.forward(delivery, record);
    return 200;
  };

  try {
    const receiver = await startReceiver({ port, handle, onRefused: refuse, now: runtime.now });
    try {
      const { url } = receiver;
      if (forwardTo !== undefined) refuseLoop(forwardTo, url);
      // With --jq this line is omitted: its filter is for deliveries.
      if (isJsonForm(form) && settings.jq === undefined)
        await runtime.stdout.write(`${toJson({ url })}\n`);
      note(`listening on ${url} until Ctrl-C`);
      if (!end.aborted) await once(end, 'abort');
    } finally {
      await receiver.close();
    }
  } finally {
    await forwarder?.close();
  }
  const { reason } = end as { readonly reason: unknown };
  // The reader of stdout has closed it, which is not an error.
  if (!(reason instanceof Failure)) return;
  // Stdout could not be written.
  if (!runtime.signal.aborted) throw reason;
  const what = `stopped: ${summaryOf(counts, signing !== undefined)}`;
  throw new Failure(reason.kind, { what, details: counts });
}

/** Formats `12 deliveries received, 10 verified, 1 refused`. */
function summaryOf(counts: Counts, isVerifying: boolean): string {
  const { received, verified, refused, notStored } = counts;
  const parts = [`${received} ${received === 1 ? 'delivery' : 'deliveries'} received`];
  if (isVerifying) parts.push(`${verified} verified`);
  if (refused > 0) parts.push(`${refused} refused`);
  if (notStored > 0) parts.push(`${notStored} not stored (answered with 503)`);
  return parts.join(', ');
}

interface ReceiverParts {
  /** Port 0 means any free port. */
  readonly port: number;
  /** Resolves with the status of the response. */
  handle(delivery: Delivery): Promise<number>;
  /** Called for a request that is not a delivery. */
  onRefused(what: string, reason: string): void;
  now(): number;
}

/**
 * Starts the server. It accepts any Host header, because a tunnel sends its public name, and rejects web pages. Throws
 * `Failure('local_io')` if the port is in use.
 */
async function startReceiver({ port, handle, onRefused, now }: ReceiverParts) {
  const underway = new Set<Promise<void>>();
  const answer = async (delivery: Delivery, response: ServerResponse): Promise<void> => {
    const status = await handle(delivery);
    const closed = new Promise((resolve) => response.once('close', resolve));
    send(response, { status, headers: {}, body: '' });
    // The exchange lasts until the response has left. A destroyed response may have emitted `close` already.
    if (!response.destroyed) await closed;
  };
  const server = createHttpServer({
    refusal,
    async serve({ incoming, response, body }) {
      const { url: target = '', headersDistinct: headers } = incoming;
      const exchange = answer({ time: now(), target, headers, body }, response);
      underway.add(exchange);
      await exchange.finally(() => underway.delete(exchange));
    },
    refuse(what, { status, code, message, headers: more = {} }) {
      onRefused(what, `${status} ${code}`);
      const headers = { 'content-type': 'text/plain; charset=utf-8', ...more };
      return { status, headers, body: `${message}\n` };
    },
  });
  const bound = await listen(server, port);
  return {
    /** The URL without a slash at the end. */
    url: `http://127.0.0.1:${bound}`,
    /** Accepts no further delivery, waits a moment for responses to complete ones, and closes every connection. */
    async close(): Promise<void> {
      server.close();
      server.closeIdleConnections();
      await endedOrLate(underway);
      await close(server);
    },
  };
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

/** Prints deliveries on stdout. */
async function createPrinter(call: Call) {
  const { stdout, stderr } = call.runtime;
  const lineOf = await lineFormat(call);
  const broken = new AbortController();
  let hasFailed = false;
  return {
    /** Aborts if stdout takes no more and --append is not set: with the failure, unless the reader closed stdout. */
    broken: broken.signal,
    /** Resolves when stdout has accepted a delivery that is stored nowhere else. */
    async print(record: DeliveryRecord): Promise<void> {
      try {
        await stdout.write(lineOf(record));
      } catch (error) {
        broken.abort(asFailure(error));
        throw error;
      }
      if (stdout.gone !== true) return;
      // This reason is no `Failure`: a closed pipe ends the command well.
      broken.abort();
      throw new Error('stdout is closed, and there is no --append');
    },
    /** Prints a delivery that is in the file: nothing waits for it. A failure is shown once. */
    async printLater(record: DeliveryRecord): Promise<void> {
      try {
        await stdout.write(lineOf(record));
      } catch (error) {
        if (!hasFailed)
          await stderr.write(`webhooks: ${(error as Error).message}; the file has all of them\n`);
        hasFailed = true;
      }
    },
  };
}

const EVENT_WIDTH = 20;
const ID_WIDTH = 16;
const COLUMNS = ['receivedAt', 'event', 'postId'];

/** Makes the function that formats a record: for a person, as TSV, or as JSON. */
async function lineFormat({
  form,
  settings,
  runtime,
}: Call): Promise<(record: DeliveryRecord) => string> {
  const { fields, utc } = settings;
  if (isJsonForm(form))
    return (record) =>
      fields.length === 0 ? deliveryLine(record) : `${toJson(pick(record, fields))}\n`;
  if (form === 'tsv' || fields.length > 0)
    return (record) => {
      const cells = (fields.length === 0 ? COLUMNS : fields).map((path) => valueAt(record, path));
      const all = fields.length === 0 ? [...cells, verdictOf(record)] : cells;
      return `${all.map(rawCell).join('\t')}\n`;
    };
  const { good, bad, signs } = colorsFor(runtime.stdout, settings, runtime);
  return (record) => {
    const { receivedAt, event, postId, verified } = record;
    const [paint, sign] = verified === true ? [good, signs.good] : [bad, signs.bad];
    const verdict = verdictOf(record);
    const cells = [
      utc ? receivedAt : new Date(receivedAt).toTimeString().slice(0, 'hh:mm:ss'.length),
      shownWord(event).padEnd(EVENT_WIDTH),
      shownWord(postId).padEnd(ID_WIDTH),
      ...(verdict === undefined ? [] : [paint(`${sign} ${verdict}`)]),
    ];
    return `${cells.join('  ').trimEnd()}\n`;
  };
}

/** Names of events and post IDs are cut to this length. */
const MAX_SHOWN = 60;

const shownWord = (text = '-') => excerpt(sanitizeLine(text), MAX_SHOWN);

/** Returns the result of `--verify` in words; `undefined` without it. */
function verdictOf({ verified, reason }: DeliveryRecord): string | undefined {
  if (verified === undefined) return undefined;
  return verified ? 'verified' : `not verified: ${reason!}`;
}

/**
 * Makes the forwarder, which posts each delivery to the URL once, unchanged. Opens nothing yet. Throws `local_io` for
 * an unusable CA file, `usage` for an unusable proxy.
 */
async function createForwarder({ settings, runtime }: Call, url: string) {
  const transport = openTransport(transportOptions(url, settings, runtime));
  const stop = new AbortController();
  // Every forwarded delivery adds a listener.
  setMaxListeners(0, stop.signal);
  const underway = new Set<Promise<void>>();
  const post = async (delivery: Delivery, record: DeliveryRecord): Promise<void> => {
    const headers = forwardedHeaders(delivery.headers);
    const request = { method: 'POST', url, headers, bytes: delivery.body } as const;
    const problem = await transport.send(request, stop.signal).then(
      ({ status }) => (status >= 200 && status < 300 ? undefined : `HTTP ${status}`),
      (error: unknown) => asFailure(error).facts.what,
    );
    if (problem === undefined) return;
    const { event = 'a delivery', postId = '' } = record;
    const name = `${shownWord(event)} ${shownWord(postId)}`.trimEnd();
    await runtime.stderr.write(`webhooks: not forwarded: ${name} (${problem})\n`);
  };
  return {
    /** Returns at once: the delivery is stored, and its response does not wait. */
    forward(delivery: Delivery, record: DeliveryRecord): void {
      const done = post(delivery, record).finally(() => underway.delete(done));
      underway.add(done);
    },
    /** Gives requests in progress a moment to end, and aborts the others. */
    async close(): Promise<void> {
      await endedOrLate(underway);
      stop.abort(new Failure('no_answer', { what: 'stopped before a response came' }));
      await Promise.allSettled(underway);
      transport.close();
    },
  };
}

/** Returns the headers of a delivery that are forwarded: those of a single connection are not. */
const forwardedHeaders = (headers: DeliveryHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !connectionHeaders.includes(name))
      .map(([name, values = []]) => [name, values.join(', ')]),
  );

/** Rejects forwarding to the receiver itself, which would never end. */
function refuseLoop(forwardTo: string, url: string): void {
  const { hostname, port, protocol } = new URL(forwardTo);
  const targetPort = port || (protocol === 'https:' ? '443' : '80');
  if (!isLoopbackHost(hostname) || targetPort !== new URL(url).port) return;
  const problem = `is the address of this receiver, ${url}`;
  throw usageFailure({ field: '--forward-to', problem });
}
