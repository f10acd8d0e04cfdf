// Errors of undici and Node as failures, in plain words. Never quotes what the other side sent.

import { Failure, type FailureFacts, ofResponse, unsentFailure } from '../../base/errors.ts';
import { isLoopbackHost } from '../../base/url.ts';

/** The code of the error that a name of another machine ends with. */
export const NOT_THIS_MACHINE = 'NOT_THIS_MACHINE';

/** The code of the error that an attempt to connect ends with when it took too long. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT';

/** How a proxy failed to open a tunnel to the service. */
export type ProxyProblem =
  | { readonly status: number }
  | { readonly problem: 'unreachable' | 'silent' | 'not HTTP' | 'too large' | 'talkative' };

/** The way to the service has ended at the proxy. Has no code of its own, so that undici does not connect again. */
export class ProxyFault extends Error {
  readonly facts: ProxyProblem;

  constructor(facts: ProxyProblem, cause?: Error) {
    super('proxy', { cause });
    this.facts = facts;
  }
}

interface ExchangeFacts {
  readonly sent: boolean;
  /** Whether there was a connection, and the request on it. */
  readonly isConnected: boolean;
  readonly url: URL;
  /** How long a connection may take to be opened. */
  readonly connectMs: number;
  /** The host of the proxy in between. */
  readonly proxyHost: string | undefined;
  /** The bytes of the response that have come, and its `content-length`; undefined before its head. */
  readonly arrived: { readonly bytes: number; readonly declared: string | undefined } | undefined;
}

/** What went wrong. It may pass, so that another attempt makes sense, unless `retryable` is false. */
type Trouble = Pick<FailureFacts, 'what' | 'brief' | 'lead' | 'hint' | 'retryable'>;

/** Codes of a connection that has ended. */
const LOST = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** undici's words for an unexpected 101 or 100. */
const UNEXPECTED = /^bad (upgrade|response)$/;

/** Whether undici ended a connection at a `100 Continue`, which RFC 9110 15.2 asks to pass over. */
export const isContinue = (error: unknown): boolean =>
  error instanceof Error && error.message === 'bad response';

/** Whether an error means that a connection has ended, and nothing else. */
export const isLoss = (error: Error): boolean =>
  LOST.includes(codedIn(error).code) && !UNEXPECTED.test(error.message);

/** The `no_answer` failure for an error below HTTP. Retryable only when it is transient and nothing had left. */
export function networkFailure(error: Error, facts: ExchangeFacts): Failure {
  const { sent, url, proxyHost, connectMs } = facts;
  const { code, cause } = codedIn(error);
  if (code === NOT_THIS_MACHINE)
    return unsentFailure('usage', {
      what: `${url.hostname} does not resolve to this machine; not sending a token over http`,
    });
  const within = `within ${connectMs / 1000}s`;
  const behind = proxyHost === undefined ? '' : ` behind proxy ${proxyHost}`;
  const service = {
    name: `host ${url.hostname}`,
    hostname: url.hostname,
    host: `${url.host}${behind}`,
    protocol: url.protocol,
  };
  const { retryable = true, ...trouble } =
    error instanceof ProxyFault
      ? behindProxy(url.host, proxyTrouble(error.facts, code, `proxy ${proxyHost}`, within))
      : (httpTrouble(error, code, facts, service.host) ?? connectTrouble(code, service, within));
  return new Failure('no_answer', { ...trouble, sent, retryable: !sent && retryable, cause });
}

/** Trouble at a place, which the brief form does not name. */
const at = (start: string, place: string, end = ''): Pick<Trouble, 'what' | 'brief'> => ({
  what: `${start} ${place}${end}`,
  brief: `${start}${end}`,
});

const behindProxy = (host: string, { what, ...trouble }: Trouble): Trouble => ({
  ...trouble,
  what: `no connection to ${host}: ${what}`,
  brief: `no connection: ${what}`,
});

/** What went wrong once there was a connection, if that is what went wrong. */
function httpTrouble(
  error: Error,
  code: string,
  { isConnected, arrived }: ExchangeFacts,
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
    // Before a response has begun: it says two things about its length.
    return ofResponse(arrived === undefined ? 'is not valid HTTP' : cutOff(arrived));
  if (!isConnected) return undefined;
  if (arrived !== undefined) return ofResponse(cutOff(arrived));
  const lead = 'no response';
  const isPlain = code === '' || LOST.includes(code);
  return { what: `${lead}: the connection was lost${isPlain ? '' : ` (${code})`}`, lead };
}

const cutOff = ({ bytes, declared }: NonNullable<ExchangeFacts['arrived']>): string =>
  `was cut off after ${bytes} ${declared === undefined ? '' : `of ${declared} `}bytes`;

const noHttp = (protocol: string, host: string): string =>
  `${host} does not speak ${protocol === 'https:' ? 'HTTPS' : 'HTTP'}; check http:// or https://`;

/** Whether the bytes that came instead of HTTP are the alert by which TLS refuses a greeting. */
const isAlert = ({ rawPacket }: Error & { readonly rawPacket?: Buffer }): boolean =>
  rawPacket?.toString('latin1').startsWith('\x15\x03') === true;

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

/** The service or the proxy, as messages name it. */
interface Place {
  readonly name: string;
  readonly hostname: string;
  readonly host: string;
  readonly protocol: string;
}

/** Why there is no connection. */
function connectTrouble(code: string, place: Place, within: string): Trouble {
  const { name, hostname, host, protocol } = place;
  if (code === 'ENOTFOUND')
    return {
      what: `cannot resolve ${name} (DNS)`,
      brief: 'cannot resolve host (DNS)',
      retryable: false,
    };
  if (code === 'EAI_AGAIN') return at('DNS did not respond', `for ${hostname}`);
  if (code === 'ECONNREFUSED')
    return {
      ...at('connection refused', `by ${host}`),
      ...(isLoopbackHost(hostname) && { hint: 'is the sandbox running? social sandbox serve' }),
    };
  if (code === CONNECT_TIMEOUT) return at('no connection', `to ${host}`, ` ${within}`);
  if (LOST.includes(code)) return at('the connection', `to ${host}`, ' was lost');
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') {
    const isTls = SPEAKS_TLS.test(code);
    const said = isTls
      ? at('no TLS connection', `to ${host}`, ` (${code})`)
      : { what: noHttp(protocol, host) };
    return { ...said, retryable: false };
  }
  if (CERTIFICATE.test(code)) {
    const fault = certificateFaults[code];
    const why = fault === undefined ? `(${code})` : `${fault} (${code})`;
    return {
      ...at('certificate', `of ${hostname}`, ` is not trusted: ${why}`),
      hint: 'specify its authority with --cacert FILE or NODE_EXTRA_CA_CERTS',
      retryable: false,
    };
  }
  return at('no connection', `to ${host}`, code === '' ? '' : ` (${code})`);
}

/** Why a proxy has opened no way to the service. `proxy` names it. */
function proxyTrouble(facts: ProxyProblem, code: string, proxy: string, within: string): Trouble {
  if ('status' in facts)
    return { what: `${proxy} returned HTTP ${facts.status}`, retryable: facts.status >= 500 };
  const { problem } = facts;
  if (problem === 'unreachable') {
    const place = { name: proxy, hostname: proxy, host: proxy, protocol: 'https:' };
    return connectTrouble(code, place, within);
  }
  if (problem !== 'silent') return { what: proxyFaults[problem](proxy), retryable: false };
  if (code === CONNECT_TIMEOUT) return { what: `${proxy} did not respond ${within}` };
  return { what: `${proxy} closed the connection instead of opening a tunnel` };
}

const proxyFaults = {
  'not HTTP': (proxy: string) => `${proxy} does not speak HTTP`,
  'too large': (proxy: string) => `the headers of ${proxy} are too large`,
  talkative: (proxy: string) => `${proxy} sent data before the tunnel was used`,
};

/** The first error that has a code: Node wraps the failures of several addresses into one without. */
function codedIn(error: Error): { readonly code: string; readonly cause: Error } {
  const parts =
    error instanceof AggregateError ? (error.errors as Error[]) : [error, error.cause as Error];
  const coded = parts.find(
    (part): part is Error & { code: string } =>
      typeof (part as NodeJS.ErrnoException | undefined)?.code === 'string',
  );
  return { code: coded?.code ?? '', cause: coded ?? error };
}
