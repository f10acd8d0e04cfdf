// One request from its arrival to its answer: turned away at the gate, or read, perhaps met by a fault that was asked
// for, carried out, answered. Whoever records is told before the answer leaves.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from '../http.ts';
import { refused } from './answer.ts';
import { readBody } from './body.ts';
import { type ChaosFault, type Fate, injected } from './chaos.ts';
import { turnedAway } from './gate.ts';
import type { ArrivedRequest, Handler } from './handler.ts';
import type { Refusal } from './refusal.ts';
import { cutOff, send, sendEarly } from './wire.ts';

/** A request and what became of it. Holds secrets: whoever keeps it masks them. */
export interface Exchange {
  /** When it came, in milliseconds since 1970. */
  readonly time: number;
  /** Its body is missing where it was not read. */
  readonly request: ArrivedRequest;
  /** Undefined when no answer was given. */
  readonly status: number | undefined;
  readonly fault: ChaosFault | undefined;
  readonly delayMs: number;
}

export interface ExchangeParts {
  readonly handle: Handler;
  /** Tells a request with the right token. Only such a one meets faults: what is refused anyway stays refused. */
  readonly isKnown: (request: ArrivedRequest) => Promise<boolean>;
  readonly fateOf: ((request: ArrivedRequest) => Fate) | undefined;
  readonly onExchange: (exchange: Exchange) => void;
  readonly noteRefused: (what: string, reason: string) => void;
  /** The port that requests must name. */
  readonly port: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const calm: Fate = { delayMs: 0, fault: undefined };

/** What the server does with each request; a request may fail, the server does not. */
export function exchanges(parts: ExchangeParts): RequestListener {
  return (incoming, response) => {
    const knock = { target: incoming.url ?? '', rawHeaders: incoming.rawHeaders };
    const reason = turnedAway(knock, parts.port());
    if (reason !== undefined) turnAway(reason, incoming, response, parts);
    else exchange(incoming, response, parts).catch(() => incoming.destroy());
  };
}

/** Answers a request whose body is not read, or not whole. */
export function turnAway(
  reason: Refusal,
  incoming: IncomingMessage,
  response: ServerResponse,
  { noteRefused, onExchange, now }: ExchangeParts,
): void {
  const request = arrived(incoming);
  const { status, code } = reason;
  noteRefused(`${request.method} ${request.url}`, `${status} ${code}`);
  onExchange({ time: now(), request, status, ...calm });
  sendEarly(incoming, response, refused(reason, now()));
}

async function exchange(
  incoming: IncomingMessage,
  response: ServerResponse,
  parts: ExchangeParts,
): Promise<void> {
  const { now, onExchange } = parts;
  const time = now();
  const body = await readBody(incoming);
  if (typeof body !== 'string') {
    turnAway(body, incoming, response, parts);
    return;
  }
  const request = { ...arrived(incoming), body };
  const fate = await fateOf(request, parts);
  // Unreferenced: who stops the server does not wait for it.
  if (fate.delayMs > 0) await sleep(fate.delayMs, undefined, { ref: false });
  const answer = await answerTo(request, fate.fault, parts);
  onExchange({ time, request, status: answer?.status, ...fate });
  if (answer !== undefined) send(response, answer);
  else cutOff(incoming, fate.fault === 'reset');
}

async function fateOf(request: ArrivedRequest, parts: ExchangeParts): Promise<Fate> {
  if (parts.fateOf === undefined || !(await parts.isKnown(request))) return calm;
  return parts.fateOf(request);
}

/** Carries a request out unless a fault comes before it; undefined where no answer is to be given. */
async function answerTo(
  request: ArrivedRequest,
  fault: ChaosFault | undefined,
  { handle, now }: ExchangeParts,
): Promise<HttpResponse | undefined> {
  if (fault === 'reset') return undefined;
  if (typeof fault === 'number') return refused(injected(fault), now());
  const answer = await handle(request);
  return fault === 'lost' ? undefined : answer;
}

/** Of the headers only those that the sandbox reads. */
function arrived({ method = '', url = '', headers }: IncomingMessage): ArrivedRequest {
  const { authorization, 'content-type': contentType } = headers;
  return { method, url, headers: { authorization, 'content-type': contentType } };
}
