// Opens and closes the service that calls are sent to: the one at a base URL over the network, or the embedded sandbox,
// which is a function.

import { type Failure, unsentFailure } from '../base/errors.ts';
import type { Send } from '../base/http.ts';
import type { Runtime } from '../base/runtime.ts';
import {
  checkTokenMayGo,
  findToken,
  type FoundToken,
  type TokenSource,
} from '../config/auth/token.ts';
import { type RawFlags } from '../config/flags.ts';
import { labelledLine, socialLine, type Word } from '../base/shell.ts';
import { SANDBOX, type Settings } from '../config/settings.ts';
import type { Input, Operation } from '../api/operations/define-operation.ts';
import { authorized, observed } from './authorize.ts';
import type { ReadBefore } from './read-before.ts';
import type { Result } from './read-response.ts';
import type { CauseRule } from './taught-causes.ts';
import type { RetryPolicy } from './retry.ts';

/** An open service, with everything that its calls share. */
export interface Client {
  readonly service: Service;
  readonly settings: Settings;
  /** The values of the flags, for hooks, and for suggested commands that name the same service. */
  readonly flags: RawFlags;
  readonly runtime: Runtime;
  /** The rules that operators wrote to find the cause of a target's error. */
  readonly causeRules: readonly CauseRule[];
  /**
   * Makes the retry policy of a call if many are made at once: then they share one pace, and none shows its own
   * progress.
   */
  readonly retryPolicy?: ((retries: number, operation: Operation) => RetryPolicy) | undefined;
  /** Asks before the changes that are sent with this client, and records them; it is not called for reads. */
  readonly observer?: ChangeObserver | undefined;
}

/** A change that is about to be sent, or was accepted. */
export interface SentChange {
  readonly input: Input;
  /** The ID of the request, the same for all its attempts. */
  readonly clientRequestId: string;
  /** The read that came before it. */
  readonly before?: ReadBefore | undefined;
}

export interface ChangeObserver {
  /** The ID under which the change is in the history; `undefined` until it is, and where it could not be written. */
  readonly recordedId?: string | undefined;
  /**
   * Asks the user to confirm the change if there is a reason to; resolves with true if it asked. Rejects on a no. A batch
   * has asked before its first record.
   */
  confirm?(input: Input, isForWhatIsLeft?: boolean): Promise<boolean>;
  /** Called before each attempt, once that has its turn. Rejects if the change must not be sent. */
  beforeAttempt(change: SentChange): void | Promise<void>;
  onSuccess(change: SentChange, result: Result): void;
  /** Returns what a failure means beside the earlier changes that the observer knows. */
  onFailure?(change: SentChange, failure: Failure): Failure;
}

/** Options for opening a client. */
export interface ClientOptions {
  readonly settings: Settings;
  readonly flags: RawFlags;
  /** Absent for commands that show no causes of errors. */
  readonly causeRules?: readonly CauseRule[] | undefined;
  /** The maximum number of connections. */
  readonly connections?: number | undefined;
}

/**
 * Opens the service of the settings with its token, which is masked from then on, and closes it after the work. Throws
 * like `openService`.
 */
export async function withClient<T>(
  options: ClientOptions,
  runtime: Runtime,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { settings, flags, causeRules = [], connections } = options;
  const service = await openService(settings, runtime, connections);
  try {
    return await work({ service, settings, flags, runtime, causeRules });
  } finally {
    service.close();
  }
}

export interface Service {
  readonly baseUrl: string;
  /** The source of the token. */
  readonly source: TokenSource | 'sandbox';
  /** The time since which a sandbox has its state: a change before that is lost. */
  readonly resetAt?: string;
  readonly send: Send;
  /** Sends without the token, to find out if the service checks it; absent for the sandbox, which needs none. */
  readonly sendWithoutToken?: Send;
  close(): void;
}

/** The address in requests to the sandbox, which has none. The name resolves to this machine only. */
const SANDBOX_ADDRESS = 'http://sandbox.localhost';

/** Returns the name under which a service is stored: its origin, or that of the sandbox. */
export const originOf = ({ source, baseUrl }: Service): string =>
  source === 'sandbox' ? SANDBOX : new URL(baseUrl).origin;

/** Names a service in messages: its host, or the sandbox. */
export const hostOf = ({ source, baseUrl }: Service): string =>
  source === 'sandbox' ? SANDBOX : new URL(baseUrl).host;

/** Returns the base URL of the settings. Throws if there is none, with advice. */
export function baseUrlOf(settings: Settings): string {
  if (settings.context === SANDBOX) return SANDBOX_ADDRESS;
  if (settings.baseUrl !== undefined) return settings.baseUrl;
  const { context, stored } = settings;
  const named = context === undefined ? '' : ` in context ${context}`;
  const address: readonly Word[] = ['--base-url', { gap: 'https://…' }];
  // A context with a token command has its token, so only the address is missing.
  const fix =
    context === undefined || stored?.tokenCommand === undefined
      ? labelledLine(
          'log in with',
          socialLine({ words: ['auth', 'login'], flags: address }, { settings, flags: {} }),
        )
      : labelledLine('set it with', ['social', 'context', 'set', context, ...address]);
  throw unsentFailure('unauthorized', {
    what: `no service is configured${named}`,
    why: [fix, 'or set SOCIAL_BASE_URL and SOCIAL_TOKEN; the embedded sandbox needs neither'],
    next: ['social', '-C', SANDBOX, 'posts', 'get', 'PostSpringLaunch'],
  });
}

/**
 * Opens the service of the settings with its token, for callers that need no `Client` and close it themselves. Throws if
 * the settings name no service, if there is no token that may go there, or if a file or variable for it cannot be used.
 */
export async function openService(
  settings: Settings,
  runtime: Runtime,
  connections?: number,
): Promise<Service> {
  if (settings.context === SANDBOX) return openSandbox(settings, runtime);
  const baseUrl = baseUrlOf(settings);
  checkTokenMayGo(baseUrl);
  const token = await findToken(settings.context, settings.stored, baseUrl, runtime);
  return openServiceAt(baseUrl, token, settings, runtime, connections);
}

/** Opens the service at an address with a token that may be sent there. The caller closes it. */
export async function openServiceAt(
  baseUrl: string,
  token: FoundToken,
  settings: Settings,
  runtime: Runtime,
  connections?: number,
): Promise<Service> {
  const { openTransport, transportOptions } = await import('./transport/open-transport.ts');
  const { send, close } = openTransport(transportOptions(baseUrl, settings, runtime, connections));
  const sendWithoutToken = await observed(send, settings, runtime);
  // `authorized` wraps `observed`, so that a request which is sent again with a new token is counted and shown again.
  const sendWithToken = authorized(sendWithoutToken, token, runtime);
  return { baseUrl, source: token.source, send: sendWithToken, sendWithoutToken, close };
}

async function openSandbox(settings: Settings, runtime: Runtime): Promise<Service> {
  const [{ createRequestHandler }, { openState }] = await Promise.all([
    import('../sandbox/router.ts'),
    import('../sandbox/store/store.ts'),
  ]);
  const { now, stderr } = runtime;
  const state = await openState({ stateDir: runtime.stateDir(), now });
  const handle = await createRequestHandler(state, now);
  const send: Send = async (request, signal) => {
    signal.throwIfAborted();
    return handle(request);
  };
  // After a typed `-C sandbox` this would say nothing new.
  if (!settings.quiet && settings.contextOrigin !== 'flag')
    await stderr.write('sandbox: this is the embedded service, not a real account\n');
  return {
    baseUrl: SANDBOX_ADDRESS,
    source: 'sandbox',
    resetAt: state.createdAt,
    send: await observed(send, settings, runtime),
    close: () => undefined,
  };
}
