// The content of a delivery: its JSON, also from a compressed body, and the posts it is about. The receiver of deliveries
// and the reader of its file both use it, so they find the same posts.

import * as zlib from 'node:zlib';
import { RESOURCE_ID } from '../../api/schema/id-patterns.ts';
import { ifPossible } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { decodeUtf8, withoutBom } from '../../base/utf8.ts';
import { codeOf } from '../../fs/io-errors.ts';

/** The header of a delivery that names its event. */
const EVENT_HEADER = /(?:^|-)event(?:-type|-name)?$/;

/** The content of a delivery. */
export interface Message {
  /** `undefined` if the body is not JSON. */
  readonly json?: unknown;
  /** Why a compressed body cannot be read. */
  readonly unreadable?: string;
  readonly events: readonly string[];
  readonly posts: readonly string[];
}

/** Reads the body of a delivery. Each header has a value or a list of values. */
export function readMessage(
  body: Uint8Array,
  headers: Readonly<Record<string, unknown>>,
  parse: (text: string) => unknown,
): Message {
  const [, named] = Object.entries(headers).find(([name]) => EVENT_HEADER.test(name)) ?? [];
  const [event] = [named].flat().filter(isWord);
  const encodings = [headers['content-encoding']].flat().filter(isWord).join(',');
  const delivered = readJson(body, encodings, parse);
  const events = eventsIn(delivered.json);
  return {
    ...delivered,
    events: events.length === 0 && event !== undefined ? [event] : events,
    posts: postsIn(delivered.json, event),
  };
}

/** A few kilobytes can decompress to gigabytes, so no step may yield more than this. */
const MAX_BYTES = 10 * 1024 * 1024;
const OPTIONS = { maxOutputLength: MAX_BYTES };
const TOO_LARGE = 'more than 10 MiB when decompressed';
/**
 * The most brackets, commas and line ends of a body that is parsed: an empty object takes two bytes there, and fifty in
 * memory, so ten mebibytes of them took 400.
 */
const MAX_SEPARATORS = 200_000;
const TOO_MANY = 'more than 200,000 values';
/** Services compress once; each further step takes time. */
const MAX_ENCODINGS = 3;

const gunzip = (bytes: Uint8Array): Buffer => zlib.gunzipSync(bytes, OPTIONS);

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: (bytes) => zlib.brotliDecompressSync(bytes, OPTIONS),
  // Many senders call the bare stream, without the header of zlib, `deflate` as well.
  deflate: (bytes) =>
    (bytes[0]! & 0x0f) === 8 && (bytes[0]! * 256 + bytes[1]!) % 31 === 0
      ? zlib.inflateSync(bytes, OPTIONS)
      : zlib.inflateRawSync(bytes, OPTIONS),
};

/**
 * Reads the JSON of a body: one value, or one on each line. The header is not believed where the body is JSON as it
 * is, because a tunnel may have decompressed it.
 */
function readJson(
  body: Uint8Array,
  contentEncoding: string,
  parse: (text: string) => unknown,
): Pick<Message, 'json' | 'unreadable'> {
  if (hasTooMany(body)) return { unreadable: TOO_MANY };
  const json = jsonOf(body, parse);
  if (json !== undefined) return { json };
  const named = contentEncoding
    .toLowerCase()
    .split(',')
    .map((each) => each.trim());
  const encodings = named.filter((each) => each !== '' && each !== 'identity');
  if (encodings.length === 0 && isGzip(body)) encodings.push('gzip');
  if (encodings.length > MAX_ENCODINGS)
    return { unreadable: `compressed ${encodings.length} times` };
  let bytes = body;
  for (const encoding of encodings.toReversed()) {
    const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
    if (decode === undefined) return { unreadable: 'unknown content-encoding' };
    try {
      bytes = decode(bytes);
    } catch (error) {
      const isTooLarge = codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
      return { unreadable: isTooLarge ? TOO_LARGE : `no complete ${encoding}` };
    }
  }
  return hasTooMany(bytes) ? { unreadable: TOO_MANY } : { json: jsonOf(bytes, parse) };
}

const [BRACKET, BRACE, COMMA, LINE_END] = Buffer.from('[{,\n');
const isSeparator = (byte: number): boolean =>
  byte === COMMA || byte === BRACE || byte === BRACKET || byte === LINE_END;

function hasTooMany(bytes: Uint8Array): boolean {
  let count = 0;
  // A body of fewer bytes cannot have more.
  if (bytes.length > MAX_SEPARATORS) for (const byte of bytes) if (isSeparator(byte)) count++;
  return count > MAX_SEPARATORS;
}

const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

function jsonOf(bytes: Uint8Array, parse: (text: string) => unknown): unknown {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  const plain = withoutBom(text).trim();
  const json = ifPossible(() => parse(plain));
  if (json !== undefined || !plain.includes('\n')) return json;
  return ifPossible(() => plain.split('\n').map((line) => parse(line)));
}

const EVENT_KEYS = ['event', 'type', 'eventType', 'event_type'];
const POST_KEYS = ['post', 'posts'];
const POST_ID_KEYS = ['postId', 'post_id', 'postIds', 'post_ids'];
/** The keys below which services put what an event is about. */
const CONTENT_KEYS = ['data', 'payload', 'object', 'resource'];
/** The keys of a list of events, each of which has its own name. */
const LIST_KEYS = ['events', 'deliveries', 'items', 'records'];

const KEYS = new Set([...EVENT_KEYS, ...POST_KEYS, ...POST_ID_KEYS, ...CONTENT_KEYS, ...LIST_KEYS]);
KEYS.add('id');

/** True for an object with one of the keys. A small body can have millions of others, which must not take long. */
const isRelevant = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Object.keys(value).some((key) => KEYS.has(key));

/** Returns the values at those of the keys that an object has. */
const partsAt = (value: Readonly<Record<string, unknown>>, keys: readonly string[]) =>
  keys.filter((key) => value[key] !== undefined).map((key) => value[key]);

/** Returns the names of the events in the JSON of a delivery: several if it is a list. */
function eventsIn(json: unknown): readonly string[] {
  if (Array.isArray(json)) return unique(json.flatMap(eventsIn));
  if (!isRelevant(json)) return [];
  const event = eventOf(json);
  return event === undefined ? partsAt(json, LIST_KEYS).flatMap(eventsIn) : [event];
}

/** Returns the IDs of the posts in the JSON of a delivery, each once. `event`: the name of the event in a header. */
const postsIn = (json: unknown, event?: string): readonly string[] =>
  unique(postsBelow(json, event, false));

/** `around`: the event that the value belongs to. `isContent`: the value is what that event is about. */
function postsBelow(
  value: unknown,
  around: string | undefined,
  isContent: boolean,
): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => postsBelow(each, around, isContent));
  if (!isRelevant(value)) return [];
  const named = [
    ...partsAt(value, POST_KEYS).flat().flatMap(idsOfPost),
    ...partsAt(value, POST_ID_KEYS).flat().filter(isWord),
  ];
  if (named.length > 0) return named;
  const own = eventOf(value);
  // Below an event, a `type` of one word is the kind of a thing.
  const isKind = own !== undefined && around !== undefined && /^[a-z]+$/.test(own);
  const event = isKind ? around : (own ?? around);
  // Beside the name of its event or its content, `id` is the ID of the event or of the delivery.
  const isThing = isContent || !CONTENT_KEYS.some((key) => typeof value[key] === 'object');
  const isPost = own === undefined || (isKind && /^posts?$/.test(own));
  if (isThing && isPost && isAboutPost(around) && isPostId(value['id'])) return [value['id']];
  return [
    ...partsAt(value, CONTENT_KEYS).flatMap((part) => postsBelow(part, event, true)),
    ...partsAt(value, LIST_KEYS).flatMap((part) => postsBelow(part, undefined, false)),
  ];
}

/** Returns the ID of a post, which is an object or the ID itself. */
const idsOfPost = (post: unknown): readonly string[] =>
  isObject(post) ? [post['id']].filter(isWord) : [post].filter(isPostId);

const eventOf = (value: Readonly<Record<string, unknown>>): string | undefined =>
  partsAt(value, EVENT_KEYS).find(isWord);

/** `post.failed`, `post_failed` and `postFailed`, but not `post.comment.created`, whose `id` is that of a comment. */
const isAboutPost = (event = ''): boolean =>
  /^(?:[Pp]osts?|POSTS?)(?:[._:/-]|(?=[A-Z]))[^.:/]+$/.test(event);

/** A longer text is neither the name of an event nor an ID, and would be stored twice. */
const MAX_WORD_LENGTH = 200;

const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_WORD_LENGTH;

const isPostId = (value: unknown): value is string =>
  typeof value === 'string' && RESOURCE_ID.test(value);

const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];

/** True if a record is a line of `webhooks listen --append`. */
export const isDelivery = (value: Readonly<Record<string, unknown>>): boolean =>
  'receivedAt' in value && 'headers' in value;

/** Returns the body of such a line as it arrived; `undefined` if it has none. */
export function storedBytes({
  body,
  bodyBase64,
}: Readonly<Record<string, unknown>>): Buffer | undefined {
  if (typeof bodyBase64 === 'string') return Buffer.from(bodyBase64, 'base64');
  return typeof body === 'string' ? Buffer.from(body) : undefined;
}
