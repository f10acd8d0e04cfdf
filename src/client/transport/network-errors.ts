// Errors of undici and Node as failures, in plain words. Never quotes what the other side sent.

import { Failure, ofResponse, unsentFailure } from '../../base/errors.ts';
import { isLoopbackHost } from '../../base/url.ts';

/** The code of the error that a name of another machine ends with. */
export const NOT_THIS_MACHINE = 'NOT_THIS_MACHINE';

/** How much of an answer has come. */
export interface ReceivedBytes {
  readonly bytes: number;
  /** The length that it says it has, as it says it; nothing where it does not. */
  readonly declared: string | undefined;
}

interface Facts {
  readonly sent: boolean;
  /** Whether there was a connection, and the request on it. */
  readonly isConnected: boolean;
  readonly url: string;
  /** How long a connection may take to be opened. */
  readonly connectMs: number;
  /** The proxy in between, less its password. */
  readonly proxyHost: string | undefined;
  /** What had come of an answer. */
  readonly arrived: ReceivedBytes | undefined;
}

/** What a proxy has done instead of opening a tunnel to the service. */
type ProxyFaultFacts =
  | { readonly status: number }
  | { readonly problem: 'unreachable' | 'silent' | 'not HTTP' | 'too large' | 'talkative' };

/**
 * The way to the service has ended at the proxy. Has no code of its own: some codes mean to undici that it is to
 * connect again.
 */
export class ProxyFault extends Error {
  readonly facts: ProxyFaultFacts;

  constructor(facts: ProxyFaultFacts, cause?: Error) {
    super('proxy', { cause });
    this.facts = facts;
  }
}

/** The code of the error that an attempt to connect ends with when it took too long. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT';

/** Codes of a connection that has ended. */
const LOST = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** undici's words for an unexpected 101 or 100. */
const UNEXPECTED = /^bad (upgrade|response)$/;

/** Whether undici ended a connection because of a `100 Continue`. */
export const isContinue = (error: Error): boolean => error.message === 'bad response';

/** Whether an error means that a connection has ended, and nothing else. */
export const isLoss = (error: Error): boolean =>
  LOST.includes(firstOf(error).code) && !UNEXPECTED.test(error.message);

const CERTIFICATE =
  /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|UNSPECIFIED/;

/** Codes that only a service that speaks TLS can cause. */
const SPEAKS_TLS = /ALERT|UNSUPPORTED_PROTOCOL/;

/** What is wrong with a certificate, in words; the code follows them. */
const certificateFaults: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'signed by an unknown authority',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'issued for another host',
};

/** The `no_answer` failure for an error below HTTP. Retryable only when it is transient and nothing had left. */
export function networkFailure(error: Error, facts: Facts): Failure {
  const { sent, url, proxyHost, connectMs } = facts;
  const within = `within ${connectMs / 1000}s`;
  const isOfProxy = error instanceof ProxyFault;
  const { code, cause } = firstOf(error);
  const { hostname, host, protocol } = new URL(url);
  if (code === NOT_THIS_MACHINE) {
    return unsentFailure('usage', {
      what: `${hostname} does not resolve to this machine; not sending a token over http`,
    });
  }
  const behind = proxyHost === undefined ? '' : ` behind proxy ${proxyHost}`;
  const service = {
    hostname,
    host: `${host}${behind}`,
    found: `host ${hostname}`,
    protocol,
    within,
  };
  const { what, brief, lead, hint, retryable } = isOfProxy
    ? withHost(host, proxyTrouble(error.facts, code, `proxy ${proxyHost}`, within))
    : (httpTrouble(error, code, facts, service.host) ?? connectionTrouble(code, service));
  return new Failure('no_answer', {
    what,
    ...(brief === undefined ? {} : { brief }),
    ...(lead === undefined ? {} : { lead }),
    sent,
    retryable: !sent && (retryable ?? true),
    cause,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** What went wrong, and whether it may pass; it may unless it is said. */
interface Trouble {
  readonly what: string;
  /** As in the facts of a failure: without the host. */
  readonly brief?: string;
  /** As in the facts of a failure: the host is named after it. */
  readonly lead?: string;
  readonly hint?: string;
  readonly retryable?: boolean;
}

/** Trouble that names the place where it is, with the brief form that does not. */
const ofPlace = (start: string, place: string, end = ''): Trouble => ({
  what: `${start} ${place}${end}`,
  brief: `${start}${end}`,
});

const withHost = (host: string, trouble: Trouble): Trouble => ({
  ...trouble,
  ...ofPlace('no connection', `to ${host}`, `: ${trouble.what}`),
});

/** What went wrong once there was a connection, if that is what went wrong. */
function httpTrouble(
  error: Error,
  code: string,
  { isConnected, arrived }: Facts,
  host: string,
): Trouble | undefined {
  // undici's parser wants address space of its own, some gigabytes of it.
  if (error instanceof RangeError)
    return { what: 'there is not enough memory for a connection', retryable: false };
  if (UNEXPECTED.test(error.message))
    return { what: 'unexpected protocol response', lead: 'unexpected protocol response' };
  if (['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW'].includes(code))
    return ofResponse('has headers that are too large');
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_'))
    return isAlert(error) ? { what: noHttp('http:', host) } : ofResponse('is not valid HTTP');
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    // Before an answer has begun: it says two things about its length.
    return ofResponse(arrived === undefined ? 'is not valid HTTP' : cutOff(arrived));
  if (!isConnected) return undefined;
  if (arrived !== undefined) return ofResponse(cutOff(arrived));
  const lead = 'no response';
  const isPlain = code === '' || LOST.includes(code);
  return { what: `${lead}: the connection was lost${isPlain ? '' : ` (${code})`}`, lead };
}

const noHttp = (protocol: string, host: string): string =>
  `${host} does not speak ${protocol === 'https:' ? 'HTTPS' : 'HTTP'}; check http:// or https://`;

/** Whether what came instead of HTTP is the way in which TLS refuses a greeting. */
const isAlert = ({ rawPacket }: Error & { readonly rawPacket?: Buffer }): boolean =>
  rawPacket?.toString('latin1').startsWith('\x15\x03') === true;

/** Another end of a connection, as messages name it. */
interface End {
  readonly hostname: string;
  readonly host: string;
  readonly found: string;
  readonly protocol: string;
  readonly within: string;
}

/** Why there is no connection. */
function connectionTrouble(code: string, end: End): Trouble {
  const { hostname, host, found, protocol, within } = end;
  if (code === 'ENOTFOUND')
    return {
      ...ofPlace('cannot resolve', found, ' (DNS)'),
      brief: 'cannot resolve host (DNS)',
      retryable: false,
    };
  if (code === 'EAI_AGAIN') return ofPlace('DNS did not respond', `for ${hostname}`);
  if (code === 'ECONNREFUSED') {
    const refused = ofPlace('connection refused', `by ${host}`);
    if (!isLoopbackHost(hostname)) return refused;
    return { ...refused, hint: 'is the sandbox running? social sandbox serve' };
  }
  if (code === CONNECT_TIMEOUT) return ofPlace('no connection', `to ${host}`, ` ${within}`);
  if (LOST.includes(code)) return ofPlace('the connection', `to ${host}`, ' was lost');
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') {
    const trouble = SPEAKS_TLS.test(code)
      ? ofPlace('no TLS connection', `to ${host}`, ` (${code})`)
      : { what: noHttp(protocol, host) };
    return { ...trouble, retryable: false };
  }
  if (CERTIFICATE.test(code)) {
    const fault = certificateFaults[code];
    const why = fault === undefined ? `(${code})` : `${fault} (${code})`;
    const hint = 'specify its authority with --cacert FILE or NODE_EXTRA_CA_CERTS';
    const untrusted = ofPlace('certificate', `of ${hostname}`, ` is not trusted: ${why}`);
    return { ...untrusted, hint, retryable: false };
  }
  return ofPlace('no connection', `to ${host}`, code === '' ? '' : ` (${code})`);
}

/** Why a proxy has opened no way to the service. `proxy` names it. */
function proxyTrouble(
  facts: ProxyFaultFacts,
  code: string,
  proxy: string,
  within: string,
): Trouble {
  if ('status' in facts)
    return { what: `${proxy} returned HTTP ${facts.status}`, retryable: facts.status >= 500 };
  if (facts.problem === 'unreachable') {
    const names = { hostname: proxy, host: proxy, found: proxy };
    return connectionTrouble(code, { ...names, protocol: 'https:', within });
  }
  if (facts.problem !== 'silent') return { what: strange[facts.problem](proxy), retryable: false };
  if (code === CONNECT_TIMEOUT) return { what: `${proxy} did not respond ${within}` };
  return { what: `${proxy} closed the connection instead of opening a tunnel` };
}

/** What a proxy has answered that no proxy should. */
const strange = {
  'not HTTP': (proxy: string) => `${proxy} does not speak HTTP`,
  'too large': (proxy: string) => `the headers of ${proxy} are too large`,
  talkative: (proxy: string) => `${proxy} sent data before the tunnel was used`,
};

/** What is wrong with an answer of which only a part has come. */
function cutOff({ bytes, declared }: ReceivedBytes): string {
  if (declared === undefined) return `was cut off after ${bytes} bytes`;
  return `was cut off after ${bytes} of ${declared} bytes`;
}

/** The first error that has a code: Node wraps the failures of several addresses into one without. */
function firstOf(error: Error): { code: string; cause: Error } {
  const parts =
    error instanceof AggregateError ? (error.errors as Error[]) : [error, error.cause as Error];
  const coded = parts.find(
    (part): part is Error & { code: string } =>
      typeof (part as NodeJS.ErrnoException | undefined)?.code === 'string',
  );
  return { code: coded?.code ?? '', cause: coded ?? error };
}
