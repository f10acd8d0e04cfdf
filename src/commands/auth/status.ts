// `auth status`: for each context the origin, the source of the token and why that one is used; never the token.

import { Failure } from '../../base/errors.ts';
import type { Call } from '../../cli/command-spec.ts';
import { printRows } from '../../output/write-result.ts';
import { asFailure } from '../../output/error-report.ts';
import { accountInUse, SANDBOX } from '../../config/settings.ts';
import {
  afterRefusedToken,
  checkTokenOrigin,
  findToken,
  loginCommand,
  type TokenSource,
  tokenSources,
} from '../../config/auth/token.ts';
import { isLoopbackHost } from '../../base/url.ts';
import { ownProperty } from '../../base/json.ts';

interface Row {
  readonly context: string;
  readonly current: boolean;
  readonly origin: string | undefined;
  readonly source: TokenSource | 'sandbox' | undefined;
  readonly why: string;
  /** The account that commands use, with its source; only for the context in use. */
  readonly account?: string | undefined;
  /** The length of the token; nothing else of it is ever shown. */
  readonly tokenLength?: number;
  readonly loopback?: boolean;
  readonly check?: string | undefined;
}

/**
 * Shows the status. Ends with exit code 4 if the context in use has no valid token, and with the kind of the failure if `--check`
 * shows that the service rejects it.
 */
export async function status(call: Call): Promise<void> {
  const { config, settings, flags } = call;
  const names = Object.keys(config.contexts ?? {});
  const withoutContext =
    settings.context === undefined && settings.baseUrl !== undefined ? [undefined] : [];
  const rows = await Promise.all(
    [...withoutContext, ...names].map(async (name) => rowOf(name, call)),
  );
  const inUse = rows.find(({ current }) => current);
  const tried = flags['check'] === true ? await tryToken(call) : undefined;
  const check = tried?.words;
  const shown: readonly Row[] = [...rows, sandboxRow(settings.context === SANDBOX)].map((row) =>
    row.current ? { ...row, check } : row,
  );
  const columns = ['context', 'current', 'origin', 'source', 'why', 'account'];
  await printRows(call, check === undefined ? columns : [...columns, 'check'], shown);
  if (settings.context === SANDBOX) return;
  if (inUse?.tokenLength === undefined) throw await noToken(call);
  if (tried?.failure === undefined) return;
  const { kind, facts } = tried.failure;
  const then = facts.status === 401 ? afterRefusedToken(settings, flags, inUse.source ?? '') : {};
  throw new Failure(kind, { ...facts, ...then });
}

/** Explains why the context in use has no valid token, with the next step. */
async function noToken({ settings, flags, runtime }: Call): Promise<Failure> {
  const { context, stored, baseUrl } = settings;
  const noneFound = new Failure('unauthorized', {
    what: 'no token for the service in use',
    next: loginCommand(context, baseUrl, flags),
  });
  if (baseUrl === undefined) return noneFound;
  const found = findToken(context, stored, baseUrl, runtime);
  const { facts } = await found.then(() => noneFound, asFailure);
  return new Failure('unauthorized', facts);
}

const sandboxRow = (current: boolean): Row => ({
  context: SANDBOX,
  current,
  origin: '(embedded service)',
  source: 'sandbox',
  why: 'creates its own token',
  loopback: true,
});

async function rowOf(name: string | undefined, { config, settings, runtime }: Call): Promise<Row> {
  const stored = ownProperty(config.contexts, name ?? '');
  const current = name === settings.context;
  const address = current ? settings.baseUrl : stored?.baseUrl;
  const account = current ? { account: accountInUse(settings) } : {};
  const none = { origin: undefined, source: undefined };
  const row = { context: name ?? '(none)', current, ...none, ...account };
  if (address === undefined) return { ...row, why: 'no base URL' };
  const { origin, hostname } = new URL(address);
  const place = { ...row, origin, loopback: isLoopbackHost(hostname) };
  const [first, ...others] = tokenSources(stored, runtime);
  if (first === undefined) return { ...place, why: 'no token' };
  const overridden =
    others.length === 0 ? 'no other source' : `takes precedence over ${others.join(', ')}`;
  try {
    checkTokenOrigin(first, stored, address, runtime);
    // A token command may prompt the user, so it is not run only to show that it exists.
    if (first === 'token-command')
      return { ...place, source: first, why: `${overridden}; not run`, tokenLength: 0 };
    const { token } = await findToken(name, stored, address, runtime);
    return { ...place, source: first, why: overridden, tokenLength: token.length };
  } catch (error) {
    return { ...place, source: first, why: `${overridden}, but ${asFailure(error).facts.what}` };
  }
}

/** Checks that the service accepts the token in use. */
async function tryToken({ settings, runtime }: Call) {
  const [{ openService }, { checkInWords, checkToken }] = await Promise.all([
    import('../../client/open-client.ts'),
    import('../../client/token-probe.ts'),
  ]);
  const check = await checkToken(await openService(settings, runtime), settings, runtime);
  return { words: checkInWords(check), failure: 'failure' in check ? check.failure : undefined };
}
