// Opens the service that a call is for: the one at a base URL, or the embedded sandbox for one command.
// Both go through the same network.

import { Failure } from '../errors.ts';
import { authorize } from '../call/request.ts';
import type { HttpRequest, HttpResponse, Send } from '../http.ts';
import type { World } from '../world.ts';
import type { Settings } from './settings.ts';
import { checkTokenMayGo, readToken } from './token.ts';

/** Where requests go, before anything is opened. */
export interface Place {
  readonly baseUrl: string;
  readonly sandbox: boolean;
}

export interface Service {
  readonly baseUrl: string;
  readonly token: string;
  readonly send: Send;
  close(): Promise<void>;
}

/** The context that needs no configuration. */
export const SANDBOX = 'sandbox';
const SANDBOX_ADDRESS = 'http://127.0.0.1:0';

/** The place that settings name. Throws when they name none, and says what to do. */
export function placeOf(settings: Settings): Place {
  if (settings.context === SANDBOX) return { baseUrl: SANDBOX_ADDRESS, sandbox: true };
  if (settings.context !== undefined) {
    throw new Failure('usage', {
      what: `no context is called ${JSON.stringify(settings.context)}`,
      hint: 'sandbox is built in',
      sent: false,
    });
  }
  if (settings.baseUrl !== undefined) return { baseUrl: settings.baseUrl, sandbox: false };
  throw new Failure('unauthorized', {
    what: 'no service is configured',
    why: ['set SOCIAL_BASE_URL and SOCIAL_TOKEN, or try the embedded service with -C sandbox'],
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
  connections = 1,
): Promise<Service> {
  if (place.sandbox) return openSandbox(settings, world, connections);
  const token = tokenFor(world);
  checkTokenMayGo(place.baseUrl);
  const { network } = await import('../call/network.ts');
  const { send, close } = network({ timeoutMs: settings.timeoutMs, connections });
  return { baseUrl: place.baseUrl, token, send: withToken(send, token), close };
}

async function openSandbox(
  settings: Settings,
  world: World,
  connections: number,
): Promise<Service> {
  const [{ startSandbox }, { network }] = await Promise.all([
    import('../sandbox/server.ts'),
    import('../call/network.ts'),
  ]);
  const sandbox = await startSandbox({
    stateDir: world.stateDir(),
    now: () => world.now(),
    note: (line) => void world.stderr.write(`sandbox: ${line}\n`),
  });
  const { send, close } = network({ timeoutMs: settings.timeoutMs, connections });
  if (!settings.quiet)
    await world.stderr.write('sandbox: this is the embedded service, not a real account\n');
  return {
    baseUrl: sandbox.url,
    token: sandbox.token,
    send: withToken(send, sandbox.token),
    close: async () => {
      await close();
      await sandbox.close();
    },
  };
}

function withToken(send: Send, token: string): Send {
  return (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> =>
    send(authorize(request, token), signal);
}

function tokenFor({ env }: World): string {
  const given = env['SOCIAL_TOKEN'];
  if (given === undefined || given === '') {
    throw new Failure('unauthorized', {
      what: 'no token',
      why: ['set SOCIAL_TOKEN, or try the embedded service with -C sandbox'],
      sent: false,
      retryable: false,
    });
  }
  const token = readToken(given, 'SOCIAL_TOKEN');
  if (typeof token === 'string') return token;
  throw new Failure('usage', {
    what: `${token.field} ${token.problem}`,
    sent: false,
    retryable: false,
  });
}
