// From the operands and flags of `social api` to the HTTP request, or to all their faults at once.

import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { type AnyMethod, connectionHeaders, type HttpRequest } from '../../base/http.ts';
import { parseJson, toJson } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { notOneOf, withSuggestions } from '../../base/suggestions.ts';
import { version } from '../../base/version.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { queryPair } from '../../client/build-request.ts';
import { headerIn } from '../../input/flag-values.ts';
import { readText } from '../../input/text-input.ts';
import {
  secretPlaces,
  type IsSecret,
  isSecretName,
  secretTexts,
} from '../../output/credentials.ts';
import { bodyOf, parseFields, type ApiField, queryPairs } from './fields.ts';
import { shellQuote } from '../../base/shell.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** Headers that `-H` may not set: identity, address, framing, and codings that are not decoded here. */
const OWN_HEADERS = new Set([...connectionHeaders, 'authorization', 'content-encoding']);

/** `-H 'Name: value'`, by names in lower case. A value may be secret: faults show only names. */
function parseHeaders(typed: readonly string[], faults: Fault[]): Readonly<Record<string, string>> {
  const headers = Object.create(null) as Record<string, string>;
  for (const [i, line] of typed.entries()) {
    const read = headerIn(line, i);
    if ('problem' in read) {
      faults.push({ field: '--header', ...read });
      continue;
    }
    const name = read.name.toLowerCase();
    const twice = name in headers ? `sets ${name} twice; specify it once` : undefined;
    const problem = headerProblem(name, read.value) ?? twice;
    if (problem === undefined) headers[name] = read.value;
    else if (name === 'authorization')
      faults.push({
        field: '--header',
        problem,
        fix: 'replace the token: your shell history has it now',
      });
    else faults.push({ field: '--header', problem });
  }
  return headers;
}

function headerProblem(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name) || name === '__proto__') return `${quote(name)} is not a header name`;
  if (OWN_HEADERS.has(name)) return `cannot set ${name}: social sets it`;
  if (/[^\t\x20-\x7e]/.test(value))
    return `the value of ${name} contains a character that is not allowed in a header`;
  if (name === 'content-type' && !/^application\/(?:[\w.-]+\+)?json\b/i.test(value))
    return 'content-type must be JSON';
  return undefined;
}

/** The path of a request, which stays below the base URL and is sent as it was typed. */
interface ApiTarget {
  /** Encoded, from the first slash. */
  readonly path: string;
  /** Encoded, without the question mark. */
  readonly query: string;
}

const MAX_TARGET_BYTES = 8192;
/** What a URL parser takes for `.` and `..`. */
const DOTS = /^(?:\.|%2e){1,2}$/i;
const PATH_CHARACTER = /[^\w\-.~!$&'()*+,;=:@/%]/gu;
/** An apostrophe is sent as %27. */
const QUERY_CHARACTER = /[^\w\-.~!$&()*+,;=:@/%?[\]]/gu;

/** Path and query of an operand, or its fault. A full URL must be below `baseUrl`. */
export function parseTarget(typed: string | undefined, baseUrl: string): ApiTarget | Fault {
  if (typed === undefined) return wrong('is required', 'e.g. /v1/posts/PostSpringLaunch');
  const stray = typed.search(/[\0-\x1f\x7f-\x9f]|\p{Surrogate}/u);
  if (stray >= 0)
    return wrong(`contains a character that is not allowed in a path (position ${stray + 1})`);
  const own = typed.startsWith(`${baseUrl}/`) ? typed.slice(baseUrl.length) : typed;
  if (/^[a-z][a-z\d+.-]*:/i.test(own))
    return wrong('is a full URL; give only a path of this service');
  // `v1/posts` most likely means `/v1/posts`; nothing is suggested for other words.
  const fix = /^v\d+\//.test(own) ? `did you mean ${quote(`/${own}`)}?` : undefined;
  if (!own.startsWith('/')) return wrong(`must start with /, got ${quote(own)}`, fix);
  if (own.startsWith('//')) return wrong('starts with //, which names another host');
  if (own.includes('#')) return wrong('has a fragment (#), which is never sent', 'write %23 for #');
  if (own.includes('\\')) return wrong('contains a backslash', 'write %5C for it');
  if (/%(?![\da-f]{2})/i.test(own))
    return wrong('has a % that is not an escape', 'write %25 for %');
  const mark = own.indexOf('?');
  const [path, query] = mark < 0 ? [own, ''] : [own.slice(0, mark), own.slice(mark + 1)];
  const problem = pathProblem(path);
  if (problem !== undefined) return wrong(problem);
  const target = { path: encoded(path, PATH_CHARACTER), query: encoded(query, QUERY_CHARACTER) };
  const bytes = target.path.length + target.query.length;
  return bytes > MAX_TARGET_BYTES
    ? wrong(`is too long (limit ${MAX_TARGET_BYTES} bytes encoded)`)
    : target;
}

const wrong = (problem: string, fix?: string): Fault => ({
  field: 'path',
  problem,
  ...(fix === undefined ? {} : { fix }),
});

function pathProblem(path: string): string | undefined {
  const placeholder = /\{[^}]*\}?|\}/.exec(path)?.[0];
  if (placeholder !== undefined) return `still has a placeholder: ${quote(placeholder)}`;
  const segments = path.split('/').slice(1);
  const dots = segments.find((segment) => DOTS.test(segment));
  if (dots !== undefined) return `has the segment ${quote(dots)}, which changes the path`;
  // An empty shell variable leaves one: /v1/ads/audiences/ is not one audience.
  if (segments.includes('')) return 'has an empty segment: an ID is missing';
  return undefined;
}

const encoded = (text: string, character: RegExp): string =>
  text.replace(character, (each) => (each === "'" ? '%27' : encodeURIComponent(each)));

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface ApiRequest {
  readonly request: HttpRequest;
  /** Encoded, without the query. */
  readonly path: string;
  /** The IDs that --confirm gives. */
  readonly confirm: readonly string[];
  /** The flags that make up the request, as a shell reads them. */
  readonly rest: readonly string[];
  /** The path with a mask in place of a pairing's id or code. */
  readonly shownPath: string;
  /** Secret texts in the request. */
  readonly secrets: readonly string[];
  /** Names under which the answer holds a pairing's id or code. */
  readonly hiddenNames: readonly string[];
  /** Whether what stands below a name in the request or the answer is secret. */
  readonly isSecret: IsSecret;
}

export const isRead = (method: string): boolean => ['GET', 'HEAD'].includes(method);

/** Method and path; a path alone is read. */
export const methodAndPath = ([first, second]: readonly string[]): readonly (
  string | undefined
)[] => (second === undefined && first?.includes('/') !== false ? ['GET', first] : [first, second]);

/** Builds the request. Throws one `usage` failure with all faults, `others` among them. */
export async function apiRequest(
  call: LocalCall,
  baseUrl: string,
  others: readonly Fault[],
): Promise<ApiRequest> {
  const { operands, flags, settings } = call;
  const list = (key: string) => (flags[key] as readonly string[] | undefined) ?? [];
  const [word, typed] = methodAndPath(operands);
  const faults: Fault[] = [];
  const method = methodOf(word, faults);
  const target = parseTarget(typed, baseUrl);
  if ('problem' in target) faults.push(target);
  const fields = parseFields(list('field'), list('jsonField'), faults);
  const inQuery = method === undefined || isRead(method) || method === 'DELETE';
  const body = inQuery ? noBody(call, faults) : await bodyFor(call, fields, faults);
  const own = parseHeaders(list('header'), faults);
  faults.push(...others);
  if (faults.length > 0 || method === undefined || 'problem' in target)
    throw usageFailure(await withSuggestions(faults), 'social api --help');
  const query = queryOf(target, inQuery ? queryPairs(fields) : [], settings.query);
  const url = `${baseUrl}${target.path}${query}`;
  checkPlace(url, baseUrl, target);
  const headers = {
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    'user-agent': `social/${version}`,
    ...own,
  };
  const places = await secretPlaces();
  const hiddenNames = places.namesAt(target.path);
  const isSecret = places.isSecretAt(target.path);
  const named = [...Object.entries(own), ...new URLSearchParams(query)]
    .filter(([name]) => isSecretName(name) || hiddenNames.includes(name))
    .map(([, value]) => value);
  return {
    request: { method, url, headers, ...(body && { body: body.text }) },
    path: target.path,
    confirm: settings.confirm,
    shownPath: places.maskPath(target.path),
    rest: ['field', 'jsonField', 'header'].flatMap((key, i) =>
      list(key).map((each) => `${['-f', '-F', '-H'][i]!} ${shellQuote(each)}`),
    ),
    secrets: [...named, ...places.textsIn(target.path), ...secretTexts(body?.value, isSecret)],
    hiddenNames,
    isSecret,
  };
}

function methodOf(typed: string | undefined, faults: Fault[]): AnyMethod | undefined {
  const known = methods.find((each) => each === typed?.toUpperCase());
  if (known === undefined)
    faults.push(
      typed === undefined
        ? { field: 'method', problem: 'is required' }
        : { field: 'method', problem: notOneOf(methods, quote(typed)) },
    );
  return known;
}

function noBody({ flags }: LocalCall, faults: Fault[]): undefined {
  if (flags['input'] !== undefined)
    faults.push({ field: '--input', problem: 'is not allowed: this method has no body' });
}

/** The JSON body, as text and as a value; nothing where there is none. */
async function bodyFor(
  { flags, runtime }: LocalCall,
  fields: readonly ApiField[],
  faults: Fault[],
): Promise<{ readonly text: string; readonly value: unknown } | undefined> {
  const from = flags['input'];
  if (typeof from !== 'string') {
    if (fields.length === 0) return undefined;
    const value = bodyOf(fields, faults);
    return { text: toJson(value), value };
  }
  const refuse = (fault: Fault): undefined => void faults.push(fault);
  const field = '--input';
  if (fields.length > 0) return refuse({ field, problem: 'cannot be combined with -f and -F' });
  const text = await readText(from, field, runtime);
  if (typeof text !== 'string') return refuse(text);
  try {
    return { text, value: parseJson(text) };
  } catch (error) {
    const problem = error instanceof RangeError ? `is ${error.message}` : 'is not JSON';
    return refuse({ field, problem });
  }
}

/** The query of the path, then the fields; `--query` overrides by name. */
function queryOf(
  { query }: ApiTarget,
  fields: readonly (readonly [string, string])[],
  over: readonly (readonly [string, string])[],
): string {
  const before = [...query.split('&').filter(Boolean), ...fields.map(queryPair)];
  const names = new Set(over.map(([name]) => queryPair([name, '']).slice(0, -1)));
  const kept = before.filter((each) => !names.has(each.split('=')[0]!));
  const all = [...kept, ...over.map(queryPair)];
  return all.length === 0 ? '' : `?${all.join('&')}`;
}

/** The last check, with the parser of the client that sends it: the same origin, the same path. */
function checkPlace(url: string, baseUrl: string, { path }: ApiTarget): void {
  const [whole, base] = [new URL(url), new URL(baseUrl)];
  const prefix = base.pathname.replace(/\/$/, '');
  if (whole.origin === base.origin && whole.pathname === prefix + path) return;
  throw new Failure('usage', {
    what: 'path would be changed by URL parsing; nothing was sent',
  });
}
