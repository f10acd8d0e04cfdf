// Opens the service that a call is for: the one at a base URL, or the embedded sandbox for one command.
// Both go through the same network.

import { Failure } from '../errors.ts';
import { authorizing } from '../call/request.ts';
import type { HttpRequest, HttpResponse, Send } from '../http.ts';
import type { World } from '../world.ts';
import { SANDBOX, type Settings } from './settings.ts';
import { checkTokenMayGo } from './token.ts';
import { findToken, type TokenSource } from './token-source.ts';

/** Where requests go, before anything is opened. */
export interface Place {
  readonly baseUrl: string;
  readonly sandbox: boolean;
}

export interface Service {
  readonly baseUrl: string;
  readonly token: string;
  /** Where the token came from. */
  readonly source: TokenSource | 'sandbox';
  readonly send: Send;
  close(): Promise<void>;
}

/** The sandbox takes another free port for each command. */
const SANDBOX_ADDRESS = 'http://127.0.0.1:PORT';

/** An address to be taken apart, also the sandbox's, which has no port before it is open. */
export const urlOf = (address: string): URL => new URL(address.replace(/:PORT(?=\/|$)/, ''));

/** What a service is remembered by: its origin; the sandbox has another port each time. */
export const originOf = ({ source, baseUrl }: Pick<Service, 'source' | 'baseUrl'>): string =>
  source === SANDBOX ? SANDBOX : new URL(baseUrl).origin;

/** What a service is called in messages: its host; the sandbox has another port each time. */
export const hostOf = ({ source, baseUrl }: Pick<Service, 'source' | 'baseUrl'>): string =>
  source === SANDBOX ? SANDBOX : new URL(baseUrl).host;

/** The place that settings name. Throws when they name none, and says what to do. */
export function placeOf(settings: Settings): Place {
  if (settings.context === SANDBOX) return { baseUrl: SANDBOX_ADDRESS, sandbox: true };
  if (settings.baseUrl !== undefined) return { baseUrl: settings.baseUrl, sandbox: false };
  const named = settings.context === undefined ? '' : ` in context ${settings.context}`;
  throw new Failure('unauthorized', {
    what: `no service is configured${named}`,
    why: [
      'log in with: social auth login --base-url https://…',
      'or set SOCIAL_BASE_URL and SOCIAL_TOKEN; the embedded sandbox needs neither',
    ],
    next: 'social -C sandbox posts get PostSpringLaunch',
    sent: false,
    retryable: false,
  });
}

/** Opens the place with the token that belongs to it. The caller closes it. */
export async function openService(
  place: Place,
  settings: Settings,
  world: World,
  connections?: number,
): Promise<Service> {
  if (place.sandbox) return openSandbox(settings, world, connections);
  checkTokenMayGo(place.baseUrl);
  const { origin } = new URL(place.baseUrl);
  const { token, source } = await findToken(settings.context, settings.stored, origin, world);
  const { network } = await import('../call/network.ts');
  const { connectionTo } = await import('./connection.ts');
  const { send, close } = network(await connectionTo(place.baseUrl, settings, world, connections));
  const unask = world.onQuestion(calling(place.baseUrl, world));
  return {
    baseUrl: place.baseUrl,
    token,
    source,
    send: withToken(send, token),
    close: () => {
      unask();
      return close();
    },
  };
}

/** What is told to who asks while no more is known than who is called. */
function calling(baseUrl: string, { monotonic }: World): () => string {
  const start = monotonic();
  return () => `calling ${urlOf(baseUrl).host} for ${Math.round((monotonic() - start) / 1000)}s`;
}

async function openSandbox(
  settings: Settings,
  world: World,
  connections: number | undefined,
): Promise<Service> {
  const [{ startSandbox }, { network }] = await Promise.all([
    import('../sandbox/server.ts'),
    import('../call/network.ts'),
  ]);
  const sandbox = await startSandbox({
    stateDir: world.stateDir(),
    now: () => world.now(),
    note: (line) => void world.stderr.write(`${line}\n`),
  });
  const { send, close } = network({ timeoutMs: settings.timeoutMs, connections });
  if (!settings.quiet)
    await world.stderr.write('sandbox: this is the embedded service, not a real account\n');
  return {
    baseUrl: sandbox.url,
    token: sandbox.token,
    source: 'sandbox',
    send: withToken(send, sandbox.token),
    close: async () => {
      await close();
      await sandbox.close();
    },
  };
}

function withToken(send: Send, token: string): Send {
  const authorize = authorizing(token);
  return (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> =>
    send(authorize(request), signal);
}
