// A delivery as it arrived, and its line in a file of deliveries. The API document shows no payload, so the raw body is
// stored, and event and post are searched where services usually have them.

import { readMessage } from '../../batch/read/webhook-body.ts';
import { connectionHeaders } from '../../base/http.ts';
import { parseJson, toJson } from '../../base/json.ts';
import { looksLikeSecret } from '../../base/sanitize.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import { isSecretName } from '../../output/redact-by-name.ts';
import { MASK } from '../../output/redact.ts';

export interface Delivery {
  /** The time of arrival, in milliseconds since 1970. */
  readonly time: number;
  /** Path and query. */
  readonly target: string;
  /** The values of each header, by its name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** A line of a file of deliveries, and the object of `--json`. The body is stored once, in one of two members. */
export interface DeliveryRecord {
  readonly receivedAt: string;
  /** Several if the body is a list. */
  readonly event?: string | readonly string[] | undefined;
  readonly postId?: string | readonly string[] | undefined;
  /** Why a compressed body cannot be read. */
  readonly unreadable?: string | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** A body that is not UTF-8, or would be more than twice as long as JSON text. */
  readonly bodyBase64?: string;
}

/** Formats the line of a record, with its newline. */
export const deliveryLine = (record: DeliveryRecord): string => `${toJson(record)}\n`;

/** Makes the record of a delivery. Secrets in headers, path and query are masked; signatures stay. */
export function recordOf({ time, target, headers, body }: Delivery): DeliveryRecord {
  const text = decodeUtf8(body);
  const { events, posts, unreadable } = readMessage(body, headers, parseJson);
  return {
    receivedAt: new Date(time).toISOString(),
    event: oneOrAll(events),
    postId: oneOrAll(posts),
    unreadable,
    path: maskTarget(target),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, values = []]) => {
        const shown = values.map((value) => (isSecret(name, value) ? MASK : value));
        return [name, shown.length === 1 ? shown[0]! : shown];
      }),
    ),
    ...storedBody(body, text),
  };
}

/** Returns the headers of a delivery that are sent on, arrived or stored: those of a single connection are not. */
export const forwardedHeaders = (
  headers: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !connectionHeaders.includes(name))
      .map(([name, values = []]) => [name, [values].flat().map(String).join(', ')]),
  );

/** Stores the body as text, or as base64 if JSON would more than double it: a control character takes six bytes. */
function storedBody(
  body: Buffer,
  text: string | undefined,
): Pick<DeliveryRecord, 'body' | 'bodyBase64'> {
  const quotes = 2;
  return text !== undefined && Buffer.byteLength(toJson(text)) <= 2 * body.length + quotes
    ? { body: text }
    : { bodyBase64: body.toString('base64') };
}

/** A small compressed body may list very many, and its line must stay small. The readers of the file find all. */
const MAX_LISTED = 1_000;

const oneOrAll = (words: readonly string[]): string | readonly string[] | undefined =>
  words.length > 1 ? words.slice(0, MAX_LISTED) : words[0];

/** A signature is not a secret, whatever its header is named, and is needed to verify a stored delivery. */
const SIGNATURE_HEADER = /signature|hmac|digest|^idempotency-key$/;
/** Headers whose values are no secret, even if they look like one, as many an ID does. */
const PLAIN_HEADER =
  /^(?:accept|content|sec|x-forwarded)-|^(?:accept|connection|date|expect|forwarded|host|transfer-encoding|user-agent|via|traceparent|webhook-id|webhook-timestamp)$|(?:^|-)(?:id|event|event-type|timestamp)$/;

/**
 * True if a header may be a secret. An endpoint's custom headers can have any name, so a value that looks like a secret
 * is treated as one.
 */
function isSecret(name: string, value: string): boolean {
  if (SIGNATURE_HEADER.test(name)) return false;
  return isSecretName(name) || (!PLAIN_HEADER.test(name) && looksLikeSecret(value));
}

const maskIfSecret = (text: string): string => (looksLikeSecret(text) ? MASK : text);

/** Masks each part of a path and query that may be secret. */
function maskTarget(target: string): string {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(target)!;
  const maskParameter = (_all: string, name: string, value?: string) =>
    value === undefined
      ? maskIfSecret(name)
      : `${name}=${isSecretName(name) ? MASK : maskIfSecret(value)}`;
  return (
    path.replace(/[^/]+/g, maskIfSecret) +
    query.replace(/([^?&=][^&=]*)(?:=([^&]*))?/g, maskParameter)
  );
}
