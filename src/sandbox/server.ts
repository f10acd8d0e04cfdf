// The sandbox as an HTTP server, and reset and summary of its state. Binds to the loopback address only, opens no
// connection itself, and answers every request it can read: no request may end the process.

import type { Server } from 'node:http';
import type { Post } from '../api/schema/post.ts';
import { type ChaosPlan, createChaos } from './chaos.ts';
import { type ContentsSummary, failedPosts, summarize } from './contents-summary.ts';
import {
  type ExchangeParts,
  refusedExchange,
  type SandboxExchange,
  serveExchange,
} from './http-exchange.ts';
import { close, createHttpServer, createNotes, listen } from './http-server.ts';
import { isAuthorized, rejectRequest } from './origin-guard.ts';
import { errorResponse } from './responses.ts';
import { createRequestHandler } from './router.ts';
import { starts } from './seed/states.ts';
import { openState, type State, type StateOptions } from './store/store.ts';

/** Which state. A fresh sandbox has the contents of `seed`, else those of `start`, a `demo` by default. */
type StateChoice = Omit<StateOptions, 'seed'> & Partial<Pick<StateOptions, 'seed'>>;

/** With a `start` the state is reset to that; without it the present one is served. */
export interface SandboxOptions extends StateChoice {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Faults to inject, by a seed; none without it. */
  readonly chaos?: { readonly plan: ChaosPlan; readonly seed: number };
  /** Called for each request before it is answered. */
  readonly onExchange?: (exchange: SandboxExchange) => void;
}

/**
 * Resets the sandbox of `stateDir`; servers that run on it follow at once, with the same token. Resolves to the posts
 * that have a failed target then.
 */
export async function resetSandbox(choice: Omit<StateChoice, 'note'>): Promise<readonly Post[]> {
  return withState({ ...choice, note: () => {} }, async (state) => {
    await state.reset();
    return state.read(failedPosts);
  });
}

/** The contents of the sandbox of `stateDir`. Makes it when there is none. */
export async function summarizeSandbox(options: StateChoice): Promise<ContentsSummary> {
  return withState(options, async (state) => {
    const header = await state.header();
    return state.read((records) => summarize(records, header));
  });
}

async function withState<T>(options: StateChoice, work: (state: State) => Promise<T>): Promise<T> {
  const state = await stateOf(options);
  try {
    return await work(state);
  } finally {
    state.close();
  }
}

const stateOf = (options: StateChoice): Promise<State> =>
  openState({ seed: starts[options.start ?? 'demo'], ...options });

/**
 * Serves the state of `stateDir` until `close`. Throws `Failure('local_io')` when the port is in use
 * or the state cannot be read or written.
 */
export async function startSandbox(options: SandboxOptions) {
  const { port = 0, start } = options;
  let ownPort = port;
  const state = await stateOf(options);
  const server = await serverOf(options, state, () => ownPort);
  try {
    ownPort = await listen(server, port);
    // Only once this server listens: a busy port must not cost the old state.
    if (start !== undefined) await state.reset();
    const { token } = await state.header();
    return {
      /** `http://127.0.0.1:<port>`, without a slash at the end. */
      url: `http://127.0.0.1:${ownPort}`,
      token,
      /** Ends every connection at once; resolves when the port is free again. */
      close: () => close(server).finally(() => state.close()),
    };
  } catch (error) {
    await close(server);
    state.close();
    throw error;
  }
}

async function serverOf(
  { now, note, chaos, onExchange = () => {} }: SandboxOptions,
  state: State,
  port: () => number,
): Promise<Server> {
  const noteRefused = createNotes('sandbox: refused', note, now);
  const parts: ExchangeParts = {
    handle: await createRequestHandler(state, now, ({ method, url }, reason) =>
      noteRefused(`${method} ${url}`, reason),
    ),
    onExchange,
    now,
    isKnown: async ({ headers }) =>
      isAuthorized(headers['authorization'], (await state.header()).token),
    chaos: chaos && createChaos(chaos.plan, chaos.seed),
  };
  return createHttpServer({
    refusal: (incoming) => rejectRequest(incoming, port()),
    serve: (arrival) => serveExchange(arrival, parts),
    // Node's own answer would lack the headers of the sandbox.
    responseTo: (reason) => errorResponse(reason, now()),
    noteRefused,
    onRefused: (reason, incoming) => onExchange(refusedExchange(reason, incoming, now())),
    now,
  });
}
