// Makes the HTTP request from the operands and flags of `social api`, or all their faults at once. A value may be secret:
// faults show only names.

import { type Operation, valuesInPath } from '../../api/operations/define-operation.ts';
import { everyOperation } from '../../api/operations/registry.ts';
import { HEADER_NAME } from '../../api/schema/webhook.ts';
import { ifPossible } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import { type AnyMethod, connectionHeaders, type HttpRequest } from '../../base/http.ts';
import { hasUnsafeNumber, parseJson, toJson } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { notOneOf } from '../../base/suggestions.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { refuseFaults } from '../../cli/run-command.ts';
import { HEADERS, HEADERS_WITH_BODY, queryPair } from '../../client/build-request.ts';
import { isJsonForm, type RawFlags } from '../../config/flags.ts';
import { readHeaderLines, readText } from '../../input/text-input.ts';
import { isSecretName, secretPlaces, secretTexts } from '../../output/redact-by-name.ts';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A request before the service is known. */
export interface ApiRequest extends Pick<HttpRequest, 'headers' | 'body'> {
  readonly method: AnyMethod;
  /** The path with its first slash, encoded. */
  readonly path: string;
  /** The query with its question mark; empty if there is none. */
  readonly query: string;
  /** The operation of the API document at the path, if it has one. */
  readonly documented: Operation | undefined;
  /** The path with a mask in place of a pairing's ID or code. */
  readonly maskedPath: string;
  /** Field names under which the response has a pairing's ID or code. */
  readonly pairingNames: readonly string[];
  /** Secret texts in the request. */
  readonly secrets: readonly string[];
}

export const isRead = (method: string): boolean => ['GET', 'HEAD'].includes(method);

/** Says where JSON text is invalid, where the parser tells. Its message is not shown: it quotes the text. */
function jsonPlace(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    if (text.trim() === '') return ': it is empty';
    const at = /at position (\d+)|end of JSON/.exec(String(error));
    if (at === null) return '';
    const before = text.slice(0, Number(at[1] ?? text.length)).split('\n');
    return `: line ${before.length}, column ${before.at(-1)!.length + 1}`;
  }
}

/** Builds the request of a command line. Throws one `usage` failure with all faults. */
export async function readRequest(call: Invocation): Promise<ApiRequest> {
  const { operands, flags, settings, runtime } = call;
  const faults: Fault[] = [];
  // A path alone is a GET, and without operands only the path is missing.
  const isPathOnly = operands.length < 2 && operands[0]?.includes('/') !== false;
  const { method: flag } = flags as { readonly method?: string };
  const word = flag ?? (isPathOnly ? 'GET' : operands[0]) ?? '';
  const typedPath = flag !== undefined || isPathOnly ? operands.at(-1) : operands[1];
  if (flag !== undefined && operands.length > 1)
    faults.push({ field: '--method', problem: 'cannot be combined with the argument method' });
  const method = methods.find((name) => name === word.toUpperCase());
  if (method === undefined)
    faults.push({ field: 'method', problem: notOneOf(methods, quote(word)) });
  // A form of the settings is only a default, and is ignored; a typed one would be a mistake.
  const { output = 'json' } = settings;
  if (flags['output'] !== undefined && !isJsonForm(output)) {
    const fix = "make rows with --jq, e.g. --jq '.[] | [.id, .status] | @tsv'";
    faults.push({ field: '--output', problem: `cannot be ${output}: the result is JSON`, fix });
  }
  const target = targetOf(typedPath, faults);
  const fields = [
    ...fieldsOf('--field', textsOf(flags, 'field'), (text) => text, faults),
    ...fieldsOf('--json-field', textsOf(flags, 'jsonField'), parseJson, faults),
  ];
  // Without a valid method the fields cause no further fault.
  const hasBody = method !== undefined && !isRead(method) && method !== 'DELETE';
  const body = await bodyOf(flags, hasBody ? fields : undefined, runtime, faults);
  const typedHeaders = await readHeaderLines('header', flags, runtime, headerProblem);
  faults.push(...(typedHeaders?.faults ?? []));
  refuseFaults(call, faults);
  // Without a fault the method and the path are valid.
  const { path } = target!;
  const headers = (typedHeaders?.headers ?? []).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const query = queryOf(target!.query, hasBody ? [] : fields, settings.query);
  const operations = (await everyOperation()).map(({ operation }) => operation);
  const isDocumented = (one: Operation) => one.method === method && valuesInPath(one, path);
  const places = await secretPlaces();
  const pairingNames = places.namesAt(path);
  const isSecret = (name: string) => isSecretName(name) || pairingNames.includes(name);
  return {
    method: method!,
    path,
    query,
    headers: {
      ...(body === undefined ? HEADERS : HEADERS_WITH_BODY),
      ...Object.fromEntries(headers),
    },
    body,
    documented: operations.find(isDocumented),
    maskedPath: places.maskPath(path),
    pairingNames,
    secrets: [
      ...headers.filter(([name]) => isSecretName(name)).map(([, value]) => value),
      ...[...new URLSearchParams(query)].filter(([name]) => isSecret(name)).map(([, text]) => text),
      ...places.textsIn(path),
      ...secretTexts(body && parseJson(body), places.isSecretAt(path)),
    ],
  };
}

const textsOf = (flags: RawFlags, key: string): readonly string[] =>
  (flags[key] as readonly string[] | undefined) ?? [];

/** Characters that a URL parser would drop, misread, or send in another form. */
const UNCLEAR = /[\p{Cc}\p{Surrogate} #\\]|%(?![\da-f]{2})/iu;
/** A placeholder that was not filled in, or a segment that a URL parser reads as `.` or `..`. */
const UNCLEAR_IN_PATH = /\{[^}]*\}?|\}|(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/i;

/**
 * Parses the path and the query after it, and encodes both. A path stays below the base URL and is sent as it was
 * typed; any other is a fault.
 */
export function targetOf(typed: string | undefined, faults: Fault[]) {
  const refuse = (problem: string, fix?: string): undefined =>
    void faults.push({ field: 'path', problem, fix });
  const example = 'e.g. /v1/posts/PostSpringLaunch';
  if (typed === undefined) return refuse('is required', example);
  if (/^[\w+.-]+:/.test(typed)) return refuse('must be a path, without the address', example);
  const whole = typed.startsWith('/') ? typed : `/${typed}`;
  const [path = ''] = whole.split('?');
  const unclear = UNCLEAR.exec(whole)?.[0] ?? UNCLEAR_IN_PATH.exec(path)?.[0];
  if (unclear !== undefined)
    return refuse(`contains ${quote(unclear)}`, 'percent-encode it, or replace it');
  // An empty shell variable makes an empty segment: /v1/ads/audiences/ is not one audience.
  if (/\/(?:\/|$)/.test(path)) return refuse('has an empty segment: an ID is missing');
  const { pathname, search } = new URL(`http://localhost${whole}`);
  return { path: pathname, query: search.slice(1) };
}

/** Joins the query after the path and the fields; `--query` overrides by name. */
function queryOf(
  typed: string,
  fields: readonly ApiField[],
  overrides: readonly (readonly [string, string])[],
): string {
  const ofFields = fields.map(({ name, value }) =>
    queryPair([name, typeof value === 'string' ? value : toJson(value)]),
  );
  // The encoded names, without the `=` after them.
  const names = new Set(overrides.map(([name]) => queryPair([name, '']).slice(0, -1)));
  const kept = [...typed.split('&').filter(Boolean), ...ofFields].filter(
    (pair) => !names.has(pair.split('=')[0]!),
  );
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

/** Returns the JSON body; `undefined` if there is none. `fields` is absent for methods without a body. */
async function bodyOf(
  flags: RawFlags,
  fields: readonly ApiField[] | undefined,
  runtime: Invocation['runtime'],
  faults: Fault[],
): Promise<string | undefined> {
  const field = '--input';
  const file = flags['input'];
  const refuse = (problem: string): undefined => void faults.push({ field, problem });
  if (typeof file !== 'string')
    return fields?.length ? toJson(bodyOfFields(fields, faults)) : undefined;
  if (fields === undefined) return refuse('is not allowed: this method has no body');
  if (fields.length > 0) return refuse('cannot be combined with -f and -F');
  const text = await readText(file, field, runtime);
  // An unreadable file is a fault.
  if (typeof text !== 'string') return void faults.push(text);
  try {
    parseJson(text);
    return text;
  } catch (error) {
    return refuse(
      error instanceof RangeError ? `is ${error.message}` : `is not JSON${jsonPlace(text)}`,
    );
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
      refuse(`${quote(name)} has a value that is not JSON`, 'for text write -f in place of -F');
    else if (hasUnsafeNumber(value))
      refuse(`${quote(name)} has a number past 2^53, which would be rounded`, USE_INPUT);
    else if (isSecretName(lastKey) && value !== null)
      refuse(`${quote(name)}: secrets are not accepted on the command line`, USE_INPUT);
    else fields.push({ name, value });
  }
  return fields;
}

const USE_INPUT = 'put the body into a file and use --input';

/** Makes the body of the fields: `a[]=b` adds to a list. Contradicting fields are faults. */
function bodyOfFields(fields: readonly ApiField[], faults: Fault[]): object {
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
