// Checks of the proxy and the certificate authorities, which connect to nothing; and with --network one harmless
// request to the service in use: whether it answers, whether it takes the token, and what its clock says. A token that
// cannot be found or sent is left out of it.

import { get } from '../../api/operations/posts.ts';
import type { HttpResponse } from '../../base/http.ts';
import { quote } from '../../base/sanitize.ts';
import { isLoopbackHost } from '../../base/url.ts';
import { unsetVariableLine } from '../../base/shell.ts';
import { createActivity } from '../../client/activity.ts';
import { bearerAuth, toRequest } from '../../client/build-request.ts';
import { requestIds, traceHeaders } from '../../client/correlation.ts';
import { PROBE } from '../../client/token-check.ts';
import { openTransport } from '../../client/transport/open-transport.ts';
import { connectionOptions, readCaFile, proxyFromEnv } from '../../client/transport/tls.ts';
import { afterRefusedToken } from '../../config/auth/login-command.ts';
import { checkTokenMayGo, findToken, tokenSources } from '../../config/auth/token.ts';
import { SANDBOX } from '../../config/settings.ts';
import { clockFix } from './check-program.ts';
import {
  type Check,
  fail,
  failed,
  type Found,
  ok,
  type DoctorContext,
  warn,
  seen,
  shareable,
} from './finding.ts';

export const checkProxy: Check = async ({ runtime, settings: { baseUrl } }) => {
  const { env } = runtime;
  const name = ['https_proxy', 'HTTPS_PROXY'].find((each) => (env[each] ?? '') !== '');
  if (name === undefined) return ok(seen`none`);
  try {
    const proxy = await proxyFromEnv(runtime);
    if (baseUrl !== undefined && isLoopbackHost(new URL(baseUrl).hostname))
      return ok(seen`not used for localhost`);
    const except = env['no_proxy'] || env['NO_PROXY'];
    const from = shareable(name);
    return except
      ? ok(seen`${proxy!.host}, from ${from}, not for ${except}`)
      : ok(seen`${proxy!.host}, from ${from}`);
  } catch (error) {
    return failed(error, unsetVariableLine(name, runtime.program.platform));
  }
};

/** With --cacert the authorities of that file are the only ones; else those of NODE_EXTRA_CA_CERTS are further ones. */
export const checkCertificates: Check = async ({ runtime, settings: { cacert } }) => {
  const { env, program } = runtime;
  const unset = (name: string) => unsetVariableLine(name, program.platform);
  const path = cacert ?? (env['NODE_EXTRA_CA_CERTS'] || undefined);
  const bad: Found[] = [];
  try {
    if (path !== undefined) await readCaFile(path, runtime);
  } catch (error) {
    bad.push(failed(error, cacert === undefined ? unset('NODE_EXTRA_CA_CERTS') : undefined));
  }
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    bad.push(
      warn(
        seen`NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always checked`,
        unset('NODE_TLS_REJECT_UNAUTHORIZED'),
      ),
    );
  if (bad.length > 0) return bad;
  if (cacert !== undefined) return ok(seen`${cacert} alone`);
  if (path === undefined) return ok(seen`Node’s own authorities`);
  return ok(seen`Node’s own authorities and ${path}`);
};

/** How wrong a clock may be before the service's is used to show times, and before certificates may be refused. */
const OFF_MS = 5000;
const FAR_OFF_MS = 300_000;

export const checkAnswers: Check = async (doctorContext) => {
  const { settings, runtime } = doctorContext;
  const { baseUrl, context } = settings;
  if (context === SANDBOX) return ok(seen`the sandbox is on this machine`);
  if (baseUrl === undefined) return [];
  checkTokenMayGo(baseUrl);
  const token = await tokenFor(baseUrl, doctorContext);
  const { send, close } = openTransport(
    await connectionOptions(baseUrl, settings, runtime, undefined),
  );
  const shown = createActivity(runtime, settings).begin(new URL(baseUrl).host, 1);
  try {
    const id = requestIds()();
    const trace = traceHeaders(runtime.env, () => undefined);
    const plain = toRequest(get, { postId: PROBE }, { baseUrl, query: settings.query, id });
    const traced = { ...plain, headers: { ...trace, ...plain.headers } };
    const before = runtime.now();
    const response = await send(
      token === undefined ? traced : bearerAuth(token)(traced),
      runtime.signal,
    );
    const middle = (before + runtime.now()) / 2;
    return [
      checkStatus(response, doctorContext, token !== undefined),
      { check: 'clock', ...compareClocks(response, middle, runtime.program.platform) },
    ];
  } finally {
    shown.end();
    await close();
  }
};

async function tokenFor(baseUrl: string, { settings, runtime }: DoctorContext) {
  const finding = findToken(settings.context, settings.stored, baseUrl, runtime);
  const found = await finding.catch(() => undefined);
  if (found !== undefined) runtime.secrets.add([found.token]);
  return found?.token;
}

function checkStatus(
  { status, headers }: HttpResponse,
  { settings, runtime }: DoctorContext,
  withToken: boolean,
): Found {
  if (!withToken) return ok(seen`the service responds (HTTP ${status}); no token was sent`);
  if (status === 401) {
    const [source = ''] = tokenSources(settings.stored, runtime);
    const { hint, next } = afterRefusedToken(settings, {}, source);
    const known = seen`the service rejects the token (HTTP 401)`;
    return fail(
      hint === undefined ? known : seen`the service rejects the token (HTTP 401); ${hint}`,
      next,
    );
  }
  if (status === 403) return warn(seen`the token is valid, but may not read posts (HTTP 403)`);
  if (status === 404) return ok(seen`the service responds and probably accepts the token`);
  if (status >= 500) return warn(seen`the service reports a problem (HTTP ${status})`);
  if (status < 300 || status >= 400) return ok(seen`the service responds (HTTP ${status})`);
  const to = headers['location'] ?? 'elsewhere';
  return fail(seen`it redirects to ${quote(to)}: the base URL is probably wrong`);
}

/** The difference is known to about a second: a `Date` header has no fractions. */
function compareClocks({ headers }: HttpResponse, now: number, platform: string): Found {
  const server = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(server)) return warn(seen`the service sends no time`);
  const seconds = Math.round((now - server - 500) / 1000);
  const off = Math.abs(seconds);
  const what = seen`${off} s ${shareable(seconds > 0 ? 'ahead of' : 'behind')} the service’s clock`;
  if (off * 1000 > FAR_OFF_MS) return fail(what, clockFix(platform));
  return off * 1000 > OFF_MS ? warn(what, clockFix(platform)) : ok(seen`in sync with the service`);
}
