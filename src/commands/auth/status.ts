// `auth status`: for each context the base URL, the source of the token and why that one is used; never the token.

import * as z from 'zod/mini';
import { fieldMeta } from '../../api/schema/rules.ts';
import { asFailure, Failure } from '../../base/errors.ts';
import { withoutEndSlashes } from '../../base/url.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { openService } from '../../client/open-client.ts';
import { checkInWords, checkToken } from '../../client/token-probe.ts';
import { printValue } from '../../output/write-result.ts';
import { accountsInUse, SANDBOX } from '../../config/settings.ts';
import {
  adviceOnRefusedToken,
  checkTokenOrigin,
  findToken,
  loginCommand,
  type TokenSource,
  tokenSources,
} from '../../config/auth/token.ts';
import { ownProperty } from '../../base/json.ts';

/** The check is what was asked for: where a table has no room for its column, it is printed below its row. */
const TABLE = z.object({
  rows: z.array(z.object({ check: z.string().register(fieldMeta, { look: 'below' }) })),
});

interface Row {
  readonly context: string;
  readonly current: boolean;
  readonly baseUrl: string | undefined;
  readonly tokenSource: TokenSource | 'sandbox' | undefined;
  readonly why: string;
  /** The account that commands use, with its source; only for the context in use. */
  readonly account?: string | undefined;
  /**
   * The length of the token, 0 for one that a command would print; absent without a valid token. Nothing else of it is
   * ever shown.
   */
  readonly tokenLength?: number;
}

/**
 * Shows the status. Ends with exit code 4 if the context in use has no valid token, and with the kind of the failure if
 * `--check` shows that the service rejects it.
 */
export async function status(call: Invocation): Promise<void> {
  const { config, settings, flags, runtime } = call;
  const { context, baseUrl } = settings;
  const names: (string | undefined)[] = Object.keys(config.contexts ?? {});
  // A base URL without a context has a row too.
  if (context === undefined && baseUrl !== undefined) names.unshift(undefined);
  const found = await Promise.all(names.map(async (name) => findRow(name, call)));
  const isChecked = flags['check'] === true;
  const rejection = isChecked
    ? await checkToken(await openService(settings, runtime), settings, runtime)
    : undefined;
  const check = isChecked ? checkInWords(rejection) : undefined;
  const sandboxRow: Row = {
    context: SANDBOX,
    current: context === SANDBOX,
    baseUrl: '(embedded service)',
    tokenSource: 'sandbox',
    why: 'creates its own token',
  };
  const rows = [...found.map(({ row }) => row), sandboxRow];
  const columns = ['context', 'current', 'baseUrl', 'tokenSource', 'why', 'account'];
  const shown = rows.map((row) => (row.current ? { ...row, check } : row));
  await printValue(call, isChecked ? [...columns, 'check'] : columns, shown, shown, TABLE);
  if (sandboxRow.current) return;
  const inUse = found.find(({ row }) => row.current);
  // Without a length there is no valid token.
  if (inUse?.row.tokenLength === undefined) {
    const next = loginCommand(context, baseUrl, flags);
    const facts = inUse?.failure?.facts ?? { what: 'no token for the service in use', next };
    throw new Failure('unauthorized', facts);
  }
  if (rejection === undefined) return;
  if (rejection.facts.status !== 401) throw rejection;
  throw rejection.with(adviceOnRefusedToken(settings, flags, inUse.row.tokenSource ?? ''));
}

/**
 * Finds the token of a context as a call does, but runs no token command, which may prompt the user. Without a valid
 * token it also returns the failure that a call would end with.
 */
export async function findRow(
  name: string | undefined,
  { config, settings, runtime }: Pick<Invocation, 'config' | 'settings' | 'runtime'>,
): Promise<{ readonly row: Row; readonly failure?: Failure }> {
  const stored = ownProperty(config.contexts, name ?? '');
  const current = name === settings.context;
  const address = current ? settings.baseUrl : stored?.baseUrl;
  const account = current ? accountsInUse(settings) : undefined;
  const context = { context: name ?? '(none)', current, account };
  if (address === undefined)
    return { row: { ...context, baseUrl: undefined, tokenSource: undefined, why: 'no base URL' } };
  const [source, ...others] = tokenSources(stored, runtime);
  // A deceptive host is shown in its ASCII form.
  const baseUrl = withoutEndSlashes(new URL(address).href);
  const place = { ...context, baseUrl, tokenSource: source };
  const precedence =
    others.length === 0 ? 'no other source' : `takes precedence over ${others.join(', ')}`;
  try {
    if (source === 'token-command') {
      checkTokenOrigin(source, stored, address, runtime);
      return { row: { ...place, why: `${precedence}; not run`, tokenLength: 0 } };
    }
    // A call notes what it removes from a token; the status only reads it.
    const quiet = { ...runtime, note: () => undefined };
    const { token } = await findToken(name, stored, address, quiet);
    return { row: { ...place, why: precedence, tokenLength: token.length } };
  } catch (error) {
    const failure = asFailure(error);
    const why = source === undefined ? 'no token' : `${precedence}, but ${failure.facts.what}`;
    return { row: { ...place, why }, failure };
  }
}
