// The path of a request as a user types it: below this service's own address and nowhere else, and the path that is
// asked for is the path that travels. Pure.

import type { Fault } from '../../errors.ts';
import { quote } from '../../output/sanitize.ts';

export interface Target {
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
export function targetOf(typed: string | undefined, baseUrl: string): Target | Fault {
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
