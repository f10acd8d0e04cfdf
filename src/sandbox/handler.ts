// The sandbox as a function from request to answer, derived from the operations. Opens no socket.
// Refuses whatever has not the state's own token, before it says anything else.

import { Failure } from '../errors.ts';
import type { HttpResponse } from '../http.ts';
import { isChange } from '../operations/operation.ts';
import { refused, success } from './answer.ts';
import { isAuthorized } from './authorization.ts';
import { inputOf } from './input.ts';
import { isRefusal, type Refusal, refusal, withHeaders } from './refusal.ts';
import { allRoutes, matchRoute, type Route } from './routes.ts';
import type { State } from './state.ts';

/** A request as it arrived: any method, header names in lower case. An `HttpRequest` is one. */
export interface ArrivedRequest {
  readonly method: string;
  /** Absolute, or from the first slash of the path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** The service, without a network: always resolves, with an error envelope where it refuses. */
export type Handler = (request: ArrivedRequest) => Promise<HttpResponse>;

export interface HandlerOptions {
  readonly state: State;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told of each request that was refused for what it is, and of faults of the sandbox; never of header values. */
  readonly onRefused?: (request: ArrivedRequest, reason: string) => void;
}

/** Statuses that are part of ordinary work: nobody is told. */
const ORDINARY = new Set([404, 409, 422]);

/** The service over a state. The token is the state's own, as it is on disk at the time of the request. */
export async function createHandler({ state, now, onRefused }: HandlerOptions): Promise<Handler> {
  const routes = await allRoutes();
  return async (request) => {
    try {
      return success(await answerTo(request, routes, state), now());
    } catch (thrown) {
      const reason = asRefusal(thrown);
      const isOrdinary = ORDINARY.has(reason.status) && reason.code !== 'unknown_path';
      if (!isOrdinary) onRefused?.(request, `${reason.status} ${reason.code}`);
      return refused(reason, now());
    }
  };
}

async function answerTo(
  request: ArrivedRequest,
  routes: readonly Route[],
  state: State,
): Promise<unknown> {
  const { token } = await state.header();
  if (!isAuthorized(request.headers['authorization'], token)) throw unauthorized;
  const [path, query] = splitUrl(request.url);
  const match = matchRoute(routes, request.method, path);
  const { operation, behaviour } = match.route;
  const contentType = request.headers['content-type'];
  const input = inputOf(match, { query, contentType, body: request.body ?? '' });
  return isChange(operation)
    ? state.change((records) => behaviour(input, records))
    : state.read((records) => behaviour(input, records));
}

const unauthorized = withHeaders(
  refusal(401, 'unauthorized', 'The sandbox needs its own token: Authorization: Bearer <token>.'),
  { 'www-authenticate': 'Bearer' },
);

/** Raw path and query. Not `new URL`, which would resolve `%2e%2e`. */
function splitUrl(url: string): readonly [path: string, query: string] {
  const [target = ''] = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split('#');
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** A fault of the disk or of the sandbox itself is an answer too: the process must not end for it. */
function asRefusal(thrown: unknown): Refusal {
  if (isRefusal(thrown)) return thrown;
  if (thrown instanceof Failure) return refusal(500, 'sandbox_storage', `${thrown.message}.`);
  return refusal(500, 'sandbox_fault', 'The sandbox failed; this is a fault of the tool.');
}
