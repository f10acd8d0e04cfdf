// With --network alone: one harmless request to the service in use, for whether it answers, whether it takes the
// token, and what its clock says. A token that cannot be found or sent is left out of it.

import { get } from '../../api/operations/posts.ts';
import type { HttpResponse } from '../../base/http.ts';
import { quote } from '../../base/sanitize.ts';
import { isLoopbackHost } from '../../base/url.ts';
import { createActivity } from '../../client/activity.ts';
import { bearerAuth, toRequest } from '../../client/build-request.ts';
import { PROBE } from '../../client/token-check.ts';
import { openTransport } from '../../client/transport/pool.ts';
import { connectionOptions, readCaFile, proxyFromEnv } from '../../client/transport/tls.ts';
import { loginCommand } from '../../config/auth/login-command.ts';
import { checkTokenMayGo, findToken } from '../../config/auth/token.ts';
import { SANDBOX } from '../../config/settings.ts';
import { setClock } from './check-program.ts';
import {
  type Check,
  fail,
  checkFailed,
  type Finding,
  ok,
  type DoctorContext,
  warn,
} from './finding.ts';

// What a connection would go by: certificate authorities and a proxy. Connects to nothing.

export const checkProxy: Check = async ({ runtime, settings: { baseUrl } }) => {
  const { env } = runtime;
  const name = ['https_proxy', 'HTTPS_PROXY'].find((each) => (env[each] ?? '') !== '');
  if (name === undefined) return [ok('proxy', 'none')];
  try {
    const found = await proxyFromEnv(runtime);
    const passed = baseUrl !== undefined && isLoopbackHost(new URL(baseUrl).hostname);
    const except = env['no_proxy'] || env['NO_PROXY'];
    const not = except ? `, not for ${except}` : '';
    return [
      ok('proxy', passed ? 'not used for this machine' : `${found!.host}, from ${name}${not}`),
    ];
  } catch (error) {
    return [checkFailed('proxy', error, `unset ${name}`)];
  }
};

export const checkCertificates: Check = async ({ runtime, settings }) => {
  const { env } = runtime;
  const extra = env['NODE_EXTRA_CA_CERTS'];
  // With the flag its authorities count alone.
  const files =
    settings.cacert === undefined
      ? extra
        ? [[extra, 'unset NODE_EXTRA_CA_CERTS'] as const]
        : []
      : [[settings.cacert, undefined] as const];
  const bad: Finding[] = [];
  for (const [path, fix] of files) {
    try {
      await readCaFile(path, runtime);
    } catch (error) {
      bad.push(checkFailed('certificates', error, fix));
    }
  }
  const unchecked =
    env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
      ? [
          warn(
            'certificates',
            'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always checked',
            'unset NODE_TLS_REJECT_UNAUTHORIZED',
          ),
        ]
      : [];
  const good =
    settings.cacert === undefined
      ? ['Node’s own authorities', ...files.map(([path]) => path)].join(' and ')
      : `${settings.cacert} alone`;
  return bad.length + unchecked.length > 0 ? [...bad, ...unchecked] : [ok('certificates', good)];
};

/** A clock may be off so far before times are told by the service's, and before certificates come into question. */
const OFF_MS = 5000;
const FAR_OFF_MS = 300_000;

export const checkAnswers: Check = async (patient) => {
  const { settings, runtime } = patient;
  const { baseUrl, context } = settings;
  if (context === SANDBOX) return [ok('network', 'the sandbox is on this machine')];
  if (baseUrl === undefined) return [];
  try {
    checkTokenMayGo(baseUrl);
    const token = await tokenOf(patient, new URL(baseUrl).origin);
    const { send, close } = openTransport(
      await connectionOptions(baseUrl, settings, runtime, undefined),
    );
    const shown = createActivity(runtime, settings).begin(new URL(baseUrl).host, 1);
    try {
      const plain = toRequest(get, { postId: PROBE }, { baseUrl, query: settings.query });
      const before = runtime.now();
      const answer = await send(
        token === undefined ? plain : bearerAuth(token)(plain),
        runtime.signal,
      );
      const middle = (before + runtime.now()) / 2;
      return [
        judged(answer, patient, token !== undefined),
        clockOf(answer, middle, runtime.program.platform),
      ];
    } finally {
      shown.end();
      await close();
    }
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    return [checkFailed('network', error)];
  }
};

async function tokenOf(
  { settings, runtime }: DoctorContext,
  origin: string,
): Promise<string | undefined> {
  try {
    const { token } = await findToken(settings.context, settings.stored, origin, runtime);
    runtime.secrets.add([token]);
    return token;
  } catch {
    return undefined;
  }
}

function judged(
  { status, headers }: HttpResponse,
  { settings: { context } }: DoctorContext,
  withToken: boolean,
): Finding {
  if (!withToken) return ok('network', `the service answers (HTTP ${status}); no token was sent`);
  if (status === 401)
    return fail('network', 'the service refuses the token (401)', loginCommand(context, undefined));
  if (status === 403) return warn('network', 'the token is known, but may not read posts (403)');
  if (status === 404) return ok('network', 'the service answers, and probably takes the token');
  if (status >= 500) return warn('network', `the service is in trouble (HTTP ${status})`);
  if (status >= 300 && status < 400) {
    const to = headers['location'] ?? 'elsewhere';
    return fail('network', `it redirects to ${quote(to)}: the base URL is another one`);
  }
  return ok('network', `the service answers (HTTP ${status})`);
}

/** The difference is known to about a second: a `Date` has no fractions. */
function clockOf({ headers }: HttpResponse, now: number, platform: string): Finding {
  const server = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(server)) return warn('clock', 'the service tells no time');
  const off = Math.round((now - server - 500) / 1000);
  const far = Math.abs(off) * 1000;
  const told = `${Math.abs(off)} s ${off > 0 ? 'ahead of' : 'behind'} the service’s clock`;
  if (far > FAR_OFF_MS) return fail('clock', told, setClock(platform));
  return far > OFF_MS
    ? warn('clock', told, setClock(platform))
    : ok('clock', 'agrees with the service’s');
}
