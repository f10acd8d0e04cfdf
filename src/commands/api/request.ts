// Makes the HTTP request from the operands and flags of `social api`, or all their faults at once, with the assumptions
// that apply to a request to any path. A value may be secret: faults show only names.

import * as z from 'zod/mini';
import { operation } from '../../api/operations/define-operation.ts';
import { HEADER_NAME } from '../../api/schema/webhook.ts';
import { type Fault, ifPossible, usageFailure } from '../../base/errors.ts';
import { type AnyMethod, connectionHeaders, type HttpRequest } from '../../base/http.ts';
import { hasUnsafeNumber, parseJson, toJson } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { shellQuote } from '../../base/shell.ts';
import { notOneOf } from '../../base/suggestions.ts';
import type { Call } from '../../cli/command-spec.ts';
import { HEADERS, HEADERS_WITH_BODY, queryPair } from '../../client/build-request.ts';
import type { RawFlags } from '../../config/flags.ts';
import { readHeaderLines, readText } from '../../input/text-input.ts';
import { isSecretName, secretPlaces, secretTexts } from '../../output/redact-by-name.ts';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const ofAnyPath = {
  command: 'api',
  summary: 'Send a request to any path of the service',
  path: '/',
  input: {},
  result: z.looseObject({}),
  columns: [],
  examples: { Read: 'social api GET /v1/posts/PostSpringLaunch' },
} as const;

/** A read of any path, retried like any other. */
export const anyRead = operation({ ...ofAnyPath, method: 'GET' });

/** A change at any path. Nothing is known about it, whatever its method: once it was sent it is never retried. */
export const anyChange = operation({
  ...ofAnyPath,
  method: 'POST',
  inspect: 'Check in the service’s own console: no request is known that shows this change.',
});

/** A request before the service is known. */
export interface ApiRequest extends Pick<HttpRequest, 'headers' | 'body'> {
  readonly method: AnyMethod;
  /** The path from the first slash, encoded, without the query. */
  readonly path: string;
  /** The path with the query. */
  readonly target: string;
  /** The path with a mask in place of a pairing's ID or code. */
  readonly shownPath: string;
  /** Field names under which the response has a pairing's ID or code. */
  readonly pairingNames: readonly string[];
  /** Secret texts in the request. */
  readonly secrets: readonly string[];
}

export const isRead = (method: string): boolean => ['GET', 'HEAD'].includes(method);

/** Splits the operands into method and path; a path alone is a GET. Without operands only the path is missing. */
export const methodAndPath = ([first, second]: readonly string[]): readonly (
  string | undefined
)[] => (second === undefined && first?.includes('/') !== false ? ['GET', first] : [first, second]);

/** Builds the request. Throws one `usage` failure with all faults, including `others`. */
export async function apiRequest(
  { operands, flags, settings, runtime }: Call,
  others: readonly Fault[],
): Promise<ApiRequest> {
  const faults: Fault[] = [];
  const [word, typed] = methodAndPath(operands);
  const method = methodOf(word, faults);
  const target = parseTarget(typed);
  if ('problem' in target) faults.push(target);
  const fields = [
    ...fieldsOf('--field', textsOf(flags, 'field'), (text) => text, faults),
    ...fieldsOf('--json-field', textsOf(flags, 'jsonField'), parseJson, faults),
  ];
  // Without a valid method the fields cause no further fault.
  const fieldsInQuery = method === undefined || isRead(method) || method === 'DELETE';
  const body = await bodyFor(flags, fieldsInQuery ? undefined : fields, runtime, faults);
  const typedHeaders = await readHeaderLines('header', flags, runtime, headerProblem);
  faults.push(...(typedHeaders?.faults ?? []), ...others);
  if (faults.length > 0 || method === undefined || 'problem' in target)
    throw usageFailure(faults, 'social api --help');
  const headers = (typedHeaders?.headers ?? []).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const query = queryOf(target, fieldsInQuery ? fields : [], settings.query);
  const places = await secretPlaces();
  const pairingNames = places.namesAt(target.path);
  const isSecret = (name: string) => isSecretName(name) || pairingNames.includes(name);
  return {
    method,
    headers: {
      ...(body === undefined ? HEADERS : HEADERS_WITH_BODY),
      ...Object.fromEntries(headers),
    },
    body: body?.text,
    target: target.path + query,
    path: target.path,
    shownPath: places.maskPath(target.path),
    pairingNames,
    secrets: [
      ...headers.filter(([name]) => isSecretName(name)).map(([, value]) => value),
      ...[...new URLSearchParams(query)].filter(([name]) => isSecret(name)).map(([, text]) => text),
      ...places.textsIn(target.path),
      ...secretTexts(body?.value, places.isSecretAt(target.path)),
    ],
  };
}

const textsOf = (flags: RawFlags, key: string): readonly string[] =>
  (flags[key] as readonly string[] | undefined) ?? [];

const FIELD_FLAGS = { '-f': 'field', '-F': 'jsonField' };
const HEADER_FLAGS = { '-H': 'header', '--header-file': 'headerFile' };

/** Returns the flags of headers as they were typed, quoted for a shell: each page of a list is read with them. */
export const headerFlags = (flags: RawFlags): readonly string[] => flagWords(HEADER_FLAGS, flags);

/** Returns the flags of the request as they were typed, quoted for a shell. */
export const requestFlags = (flags: RawFlags): readonly string[] =>
  flagWords({ ...FIELD_FLAGS, ...HEADER_FLAGS }, flags);

const flagWords = (keys: Readonly<Record<string, string>>, flags: RawFlags): readonly string[] =>
  Object.entries(keys).flatMap(([flag, key]) =>
    [(flags[key] ?? []) as string | readonly string[]]
      .flat()
      .map((text) => `${flag} ${shellQuote(text)}`),
  );

function methodOf(typed: string | undefined, faults: Fault[]): AnyMethod | undefined {
  const method = methods.find((name) => name === typed?.toUpperCase());
  if (method !== undefined) return method;
  const problem = typed === undefined ? 'is required' : notOneOf(methods, quote(typed));
  faults.push({ field: 'method', problem });
  return undefined;
}

/** Path and query as they are sent, encoded. */
interface ApiTarget {
  /** The path from the first slash, below the base URL. */
  readonly path: string;
  /** The query without the question mark. */
  readonly query: string;
}

/** Characters that a URL parser would drop, misread, or send in another form. */
const UNCLEAR = /[\p{Cc}\p{Surrogate} #\\]|%(?![\da-f]{2})/iu;
/** A placeholder that was not filled in, or a segment that a URL parser reads as `.` or `..`. */
const UNCLEAR_IN_PATH = /\{[^}]*\}?|\}|(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/i;

/**
 * Parses path and query of an operand, or returns its fault: a path stays below the base URL and is sent as it was
 * typed.
 */
export function parseTarget(typed: string | undefined): ApiTarget | Fault {
  const field = 'path';
  const fix = 'e.g. /v1/posts/PostSpringLaunch';
  if (typed === undefined) return { field, problem: 'is required', fix };
  if (!typed.startsWith('/')) return { field, problem: 'must start with /', fix };
  const [path = ''] = typed.split('?');
  const unclear = UNCLEAR.exec(typed)?.[0] ?? UNCLEAR_IN_PATH.exec(path)?.[0];
  if (unclear !== undefined)
    return {
      field,
      problem: `contains ${quote(unclear)}`,
      fix: 'percent-encode it, or replace it',
    };
  // An empty shell variable makes an empty segment: /v1/ads/audiences/ is not one audience.
  if (/\/(?:\/|$)/.test(path)) return { field, problem: 'has an empty segment: an ID is missing' };
  const { pathname, search } = new URL(`http://localhost${typed}`);
  return { path: pathname, query: search.slice(1) };
}

/** Joins the query of the path and the fields; `--query` overrides by name. */
function queryOf(
  { query }: ApiTarget,
  fields: readonly ApiField[],
  overrides: readonly (readonly [string, string])[],
): string {
  const typed = fields.map(({ name, value }) =>
    queryPair([name, typeof value === 'string' ? value : toJson(value)]),
  );
  const before = [...query.split('&').filter(Boolean), ...typed];
  // The encoded names, without the `=` after them.
  const names = new Set(overrides.map(([name]) => queryPair([name, '']).slice(0, -1)));
  const kept = before.filter((pair) => !names.has(pair.split('=')[0]!));
  const all = [...kept, ...overrides.map(queryPair)];
  return all.length === 0 ? '' : `?${all.join('&')}`;
}

/** Headers that no flag sets: identity, address, framing, and encodings that are not decoded here. */
const OWN_HEADERS = new Set([...connectionHeaders, 'authorization', 'content-encoding']);

function headerProblem(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return `${quote(name)} is not a header name`;
  if (OWN_HEADERS.has(name)) return `cannot set ${name}: social sets it`;
  if (/[^\t\x20-\x7e]/.test(value))
    return `the value of ${name} contains a character that is not allowed in a header`;
  if (name === 'content-type' && !/^application\/(?:[\w.-]+\+)?json\b/i.test(value))
    return 'content-type must be JSON';
  return undefined;
}

interface ApiBody {
  readonly text: string;
  readonly value: unknown;
}

/** Returns the JSON body; `undefined` if there is none. `fields` is absent for methods without a body. */
async function bodyFor(
  flags: RawFlags,
  fields: readonly ApiField[] | undefined,
  runtime: Call['runtime'],
  faults: Fault[],
): Promise<ApiBody | undefined> {
  const field = '--input';
  const file = flags['input'];
  const refuse = (problem: string): undefined => void faults.push({ field, problem });
  if (typeof file !== 'string') {
    if (fields === undefined || fields.length === 0) return undefined;
    const value = bodyOf(fields, faults);
    return { text: toJson(value), value };
  }
  if (fields === undefined) return refuse('is not allowed: this method has no body');
  if (fields.length > 0) return refuse('cannot be combined with -f and -F');
  const text = await readText(file, field, runtime);
  // An unreadable file is a fault.
  if (typeof text !== 'string') return void faults.push(text);
  try {
    return { text, value: parseJson(text) };
  } catch (error) {
    return refuse(error instanceof RangeError ? `is ${error.message}` : 'is not JSON');
  }
}

interface ApiField {
  /** The name as it was typed: `a[b]`. */
  readonly name: string;
  readonly value: unknown;
}

/** Parses the fields of `-f name=value` or `-F name=<JSON>`. */
function fieldsOf(
  field: string,
  pairs: readonly string[],
  parse: (text: string) => unknown,
  faults: Fault[],
): readonly ApiField[] {
  const fields: ApiField[] = [];
  for (const [i, pair] of pairs.entries()) {
    const refuse = (problem: string, fix?: string) => faults.push({ field, problem, fix });
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || text === undefined) {
      refuse(`must be name=value (number ${i + 1} is not)`);
      continue;
    }
    const value = ifPossible(() => parse(text));
    // The last key names the value: `token` in `a[token]`.
    const [, lastKey = ''] = /([^[\]]*)[[\]]*$/.exec(name)!;
    if (value === undefined)
      refuse(`${quote(name)} has a value that is not JSON`, 'use -f for text');
    else if (hasUnsafeNumber(value))
      refuse(`${quote(name)} has a number past 2^53, which would be rounded`, USE_INPUT);
    else if (isSecretName(lastKey) && value !== null)
      refuse(`${quote(name)}: secrets are not accepted on the command line`, USE_INPUT);
    else fields.push({ name, value });
  }
  return fields;
}

const USE_INPUT = 'put the body into a file and use --input';

/** Makes the JSON body of the fields: `a[]=b` adds to a list. Contradicting fields are faults. */
function bodyOf(fields: readonly ApiField[], faults: Fault[]): object {
  // Without a prototype a field may have any name, `__proto__` included.
  const body = Object.create(null) as Record<string, unknown>;
  for (const { name, value } of fields) {
    const field = `field ${quote(name)}`;
    const [, key, brackets] = /^([^[\]]+)(\[\])?$/.exec(name) ?? [];
    if (key === undefined) {
      const fix = 'an object is JSON, e.g. -F \'name={"key":"value"}\'';
      faults.push({ field, problem: 'must be a name or name[]', fix });
    } else if (brackets !== undefined && (body[key] === undefined || Array.isArray(body[key])))
      body[key] = [...((body[key] ?? []) as readonly unknown[]), value];
    else if (key in body)
      faults.push({ field, problem: 'conflicts with another field of the same name' });
    else body[key] = value;
  }
  return body;
}
