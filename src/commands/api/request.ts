// From what was typed after `social api` to the request as it would leave, or to all that is wrong with it at once.

import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import type { AnyMethod, HttpRequest } from '../../base/http.ts';
import { parseJson, toJson } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { version } from '../../base/version.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { queryPair } from '../../client/build-request.ts';
import { urlOf } from '../../client/open-service.ts';
import { readText } from '../../input/text-input.ts';
import {
  secretPlaces,
  type IsSecret,
  isSecretName,
  secretTexts,
} from '../../output/credentials.ts';
import { bodyOf, parseFields, type ApiField, queryPairs } from './fields.ts';
import { shellQuote } from '../../base/shell.ts';

// `-H 'Name: value'`: further headers of a request. Those that say who asks, where it goes and how long it is are the
// tool's own. A value may be secret: only names are told.

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** What may not be set: identity, address, framing, and codings that nobody here decodes. */
const OWN = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers by their names in lower case, and what is wrong with them. */
function parseHeaders(typed: readonly string[]): {
  readonly headers: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
} {
  const headers = Object.create(null) as Record<string, string>;
  const faults: Fault[] = [];
  for (const [i, line] of typed.entries()) {
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = line.slice(at + 1).trim();
    const problem =
      at <= 0 ? `must be 'Name: value' (number ${i + 1} has no colon)` : problemOf(name, value);
    if (problem !== undefined) faults.push({ field: '--header', problem });
    else if (name in headers)
      faults.push({ field: '--header', problem: `names ${name} twice; choose one` });
    else headers[name] = value;
  }
  return { headers, faults };
}

function problemOf(name: string, value: string): string | undefined {
  if (!NAME.test(name) || name === '__proto__') return `${quote(name)} is not a header name`;
  if (OWN.has(name)) return `${name} is set by social itself`;
  if (/[^\t\x20-\x7e]/.test(value))
    return `the value of ${name} contains a character that no header can carry`;
  if (name === 'content-type' && !/^application\/(?:[\w.-]+\+)?json\b/i.test(value))
    return 'content-type must be JSON; nothing else is sent';
  return undefined;
}

// The path of a request as a user types it: below this service's own address and nowhere else, and the path that is
// asked for is the path that travels. Pure.

export interface ApiTarget {
  /** Encoded, from the first slash. */
  readonly path: string;
  /** What stood behind the question mark, encoded; empty where nothing did. */
  readonly query: string;
}

const MOST_BYTES = 8192;
/** What an URL parser takes for `.` and `..`. */
const DOTS = /^(?:\.|%2e){1,2}$/i;
const PATH_CHARACTER = /[^\w\-.~!$&'()*+,;=:@/%]/gu;
/** An apostrophe travels as %27. */
const QUERY_CHARACTER = /[^\w\-.~!$&()*+,;=:@/%?[\]]/gu;

/** The path and the query of what was typed, or what is wrong with it. A full URL must be one of `baseUrl`. */
export function parseTarget(typed: string | undefined, baseUrl: string): ApiTarget | Fault {
  if (typed === undefined) return wrong('is required', 'e.g. /v1/posts/PostSpringLaunch');
  const stray = typed.search(/[\0-\x1f\x7f-\x9f]|\p{Surrogate}/u);
  if (stray >= 0) return wrong(`contains a character that no path can carry (at ${stray + 1})`);
  const own = typed.startsWith(`${baseUrl}/`) ? typed.slice(baseUrl.length) : typed;
  if (/^[a-z][a-z\d+.-]*:/i.test(own))
    return wrong('is the address of another service; only a path of this one is sent');
  if (!own.startsWith('/')) return wrong(`must start with /, got ${quote(own)}`, didYouMean(own));
  if (own.startsWith('//')) return wrong('starts with //, which names another host');
  if (own.includes('#')) return wrong('has a fragment (#), which is never sent', 'write %23 for #');
  if (own.includes('\\')) return wrong('contains a backslash', 'write %5C for it');
  if (/%(?![\da-f]{2})/i.test(own))
    return wrong('has a % that starts no escape', 'write %25 for %');
  const mark = own.indexOf('?');
  const [path, query] = mark < 0 ? [own, ''] : [own.slice(0, mark), own.slice(mark + 1)];
  const problem = pathProblem(path);
  if (problem !== undefined) return wrong(problem);
  const target = { path: encoded(path, PATH_CHARACTER), query: encoded(query, QUERY_CHARACTER) };
  const bytes = target.path.length + target.query.length;
  return bytes > MOST_BYTES ? wrong(`is too long (limit ${MOST_BYTES} bytes encoded)`) : target;
}

/** `v1/posts` is `/v1/posts` most likely; of anything else nobody can tell. */
const didYouMean = (own: string): string | undefined =>
  /^v\d+\//.test(own) ? `did you mean ${quote(`/${own}`)}?` : undefined;

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
  if (dots !== undefined) return `has the segment ${quote(dots)}, which leads elsewhere`;
  // What an empty variable of a shell leaves behind: /v1/ads/audiences/ is another thing than one audience.
  if (segments.includes('')) return 'has an empty segment: an id is missing';
  return undefined;
}

const encoded = (text: string, character: RegExp): string =>
  text.replace(character, (each) => (each === "'" ? '%27' : encodeURIComponent(each)));

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface ApiRequest {
  readonly request: HttpRequest;
  /** Encoded, without the query. */
  readonly path: string;
  /** The flags that make up the request, as a shell reads them. */
  readonly rest: readonly string[];
  /** The same for people to see: without a pairing's id or code. */
  readonly shownPath: string;
  /** Texts in it that nobody may see. */
  readonly secrets: readonly string[];
  /** Names under which the answer holds a pairing's id or code. */
  readonly hiddenNames: readonly string[];
  /** Whether what stands below a name in the request or the answer is secret. */
  readonly isSecret: IsSecret;
}

/** Whether a method only reads. */
export const isRead = (method: string): boolean => ['GET', 'HEAD'].includes(method);

/** Builds the request for the address. Throws one `usage` failure with all that is wrong. */
export async function apiRequest(call: LocalCall, baseUrl: string): Promise<ApiRequest> {
  const { operands, flags, settings } = call;
  const list = (key: string) => (flags[key] as readonly string[] | undefined) ?? [];
  const method = methodOf(operands[0]);
  const target = parseTarget(operands[1], baseUrl);
  const { fields, faults } = parseFields(list('field'), list('jsonField'));
  const own = parseHeaders(list('header'));
  const inQuery = typeof method !== 'string' || isRead(method) || method === 'DELETE';
  const body = inQuery ? noBody(call) : await bodyFor(call, fields);
  const all = [
    ...(typeof method === 'string' ? [] : [method]),
    ...('problem' in target ? [target] : []),
    ...faults,
    ...body.faults,
    ...own.faults,
  ];
  if (all.length > 0 || typeof method !== 'string' || 'problem' in target)
    throw usageFailure(all, 'social api --help');
  const query = queryOf(target, inQuery ? queryPairs(fields) : [], settings.query);
  const url = `${baseUrl}${target.path}${query}`;
  checkPlace(url, baseUrl, target);
  const headers = {
    accept: 'application/json',
    ...(body.text === undefined ? {} : { 'content-type': 'application/json' }),
    'user-agent': `social/${version}`,
    ...own.headers,
  };
  const places = await secretPlaces();
  const hiddenNames = places.namesAt(target.path);
  const isSecret = places.isSecretAt(target.path);
  const named = [...Object.entries(own.headers), ...new URLSearchParams(query)]
    .filter(([name]) => isSecretName(name) || hiddenNames.includes(name))
    .map(([, value]) => value);
  return {
    request: { method, url, headers, ...(body.text === undefined ? {} : { body: body.text }) },
    path: target.path,
    shownPath: places.maskPath(target.path),
    rest: ['field', 'jsonField', 'header'].flatMap((key, i) =>
      list(key).map((each) => `${['-f', '-F', '-H'][i]!} ${shellQuote(each)}`),
    ),
    secrets: [...named, ...places.textsIn(target.path), ...secretTexts(body.value, isSecret)],
    hiddenNames,
    isSecret,
  };
}

function methodOf(typed: string | undefined): AnyMethod | Fault {
  const known = methods.find((each) => each === typed?.toUpperCase());
  if (known !== undefined) return known;
  const seen = typed === undefined ? '' : `, got ${quote(typed)}`;
  return { field: 'method', problem: `must be one of: ${methods.join(', ')}${seen}` };
}

interface Body {
  /** The JSON text as it travels; nothing where there is no body. */
  readonly text?: string;
  readonly value?: unknown;
  readonly faults: readonly Fault[];
}

function noBody({ flags }: LocalCall): Body {
  if (flags['input'] === undefined) return { faults: [] };
  return { faults: [{ field: '--input', problem: 'is a body, which this method does not have' }] };
}

async function bodyFor({ flags, runtime }: LocalCall, fields: readonly ApiField[]): Promise<Body> {
  const from = flags['input'];
  if (typeof from !== 'string') {
    if (fields.length === 0) return { faults: [] };
    const { body, faults } = bodyOf(fields);
    return { text: toJson(body), value: body, faults };
  }
  if (fields.length > 0)
    return { faults: [{ field: '--input', problem: 'contradicts -f and -F; choose one' }] };
  const text = await readText(from, '--input', runtime);
  if (typeof text !== 'string') return { faults: [text] };
  try {
    return { text, value: parseJson(text), faults: [] };
  } catch (error) {
    const problem = error instanceof RangeError ? `is ${error.message}` : 'is not JSON';
    return { faults: [{ field: '--input', problem }] };
  }
}

/** What was typed in the path, then the fields; `--query` overrides by name. */
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

/** The last look, with the eyes of whoever sends it: the same place, the same path. */
function checkPlace(url: string, baseUrl: string, { path }: ApiTarget): void {
  const [whole, base] = [urlOf(url), urlOf(baseUrl)];
  const prefix = base.pathname.replace(/\/$/, '');
  if (whole.origin === base.origin && whole.pathname === prefix + path) return;
  throw new Failure('usage', {
    what: 'path would not travel as it was typed; nothing was sent',
    sent: false,
    retryable: false,
  });
}
