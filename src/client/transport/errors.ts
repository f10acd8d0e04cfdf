// Converts errors of undici and Node to failures, in plain words. Never quotes bytes that the other side sent.

import {
  Failure,
  type FailureFacts,
  headed,
  ofResponse,
  unsentFailure,
} from '../../base/errors.ts';
import { isLoopbackHost } from '../../base/url.ts';
import { WANTS_CERTIFICATE, WANTS_HTTP2 } from '../unread-request.ts';

/** The error code for a name that resolves to another machine. */
export const NOT_THIS_MACHINE = 'NOT_THIS_MACHINE';

/** The error code for a timeout while connecting. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT';

/** The error code for a server that has asked for a client certificate in the handshake, and got none. */
export const NO_CERTIFICATE = 'NO_CERTIFICATE';

/** A connection that failed at the proxy. The error has no code, so that undici does not connect again. */
export class ProxyFault extends Error {
  /** `unreachable`: there is no connection to the proxy. `no tunnel`: it opened none; `status` is its answer, if any. */
  readonly problem: 'unreachable' | 'no tunnel';
  readonly status: number | undefined;
  readonly hint: string | undefined;

  constructor(problem: ProxyFault['problem'], status?: number, cause?: Error, hint?: string) {
    super('proxy', { cause });
    this.problem = problem;
    this.status = status;
    this.hint = hint;
  }
}

interface ExchangeFacts {
  readonly sent: boolean;
  /** True if a response came on the connection before, to another request or an interim one. */
  readonly hasSpoken: boolean;
  readonly url: URL;
  /** Says where to name an authority that is not trusted. */
  readonly authorityHint?: string | undefined;
  /** The time limit for opening a connection. */
  readonly connectMs: number;
  /** The host of the proxy, if there is one. */
  readonly proxyHost: string | undefined;
  /** The size of the received part of the response: `11 of 50 bytes`; `undefined` before its head. */
  readonly arrived: string | undefined;
}

/** Error codes of a connection that was closed. */
const LOST = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** undici's message for an unexpected 101 or 100. */
const UNEXPECTED = /^bad (upgrade|response)$/;

/** Makes the error that undici makes for a change of protocol, where Node's client or the exchange finds it. */
export const unexpectedUpgrade = (): Error => new Error('bad upgrade');

/** True if undici closed a connection because of a `100 Continue`, which RFC 9110 15.2 says to ignore. */
export const isContinue = (error: unknown): boolean =>
  error instanceof Error && error.message === 'bad response';

/** True if an error only means that a connection was closed. */
export const isLoss = (error: Error): boolean =>
  LOST.includes(codedIn(error).code) && !UNEXPECTED.test(error.message);

/**
 * Makes the `no_answer` failure for an error below HTTP. It is retryable only if it is temporary and nothing was sent. Its
 * outcome is `none` if the server has certainly not processed the request.
 */
export function networkFailure(error: Error, facts: ExchangeFacts): Failure {
  const { sent, url, proxyHost } = facts;
  const { code, cause } = codedIn(error);
  if (code === NOT_THIS_MACHINE)
    return unsentFailure('usage', {
      what: `${url.hostname} does not resolve to this machine; not sending a token over http`,
    });
  const host = proxyHost === undefined ? url.host : `${url.host} behind proxy ${proxyHost}`;
  const unread = error instanceof ProxyFault ? undefined : unreadBy(error, code, host);
  // A server that has answered in HTTP/1.1 on this connection can read it: then the error proves nothing.
  if (unread !== undefined && !facts.hasSpoken)
    return new Failure('no_answer', { ...unread, sent, outcome: 'none', retryable: false, cause });
  // A failed connection may be temporary, unless `retryable` is false.
  const { retryable = true, ...trouble } =
    error instanceof ProxyFault
      ? proxyTrouble(error, code, facts)
      : (httpTrouble(error, code, facts) ?? connectTrouble(code, url.hostname, host, facts));
  return new Failure('no_answer', { ...trouble, sent, retryable: !sent && retryable, cause });
}

/** Describes an error that a server can cause only before it reads a request. */
function unreadBy(error: unknown, code: string, host: string): FailureFacts | undefined {
  const isOnlyHttp2 = code.endsWith('ALERT_NO_APPLICATION_PROTOCOL') || isHttp2Frame(error);
  const facts = code === NO_CERTIFICATE ? WANTS_CERTIFICATE : isOnlyHttp2 ? WANTS_HTTP2 : undefined;
  return facts && { ...facts, what: `${facts.what} (${host})` };
}

/**
 * True if a response begins with a frame that a server sends first in HTTP/2, SETTINGS or GOAWAY (RFC 9113 3.4). Such a
 * server reads nothing but HTTP/2, which no request of HTTP/1.1 can be.
 */
function isHttp2Frame(error: unknown): boolean {
  // Node's parser gives the bytes that it was reading, undici's the text where it failed. Both have this code only if a
  // response does not begin with HTTP.
  const { code, rawPacket, data } = Object(error) as {
    readonly code?: string;
    readonly rawPacket?: Buffer;
    readonly data?: string;
  };
  if (code !== 'HPE_INVALID_CONSTANT') return false;
  const start = (rawPacket ?? Buffer.from(data ?? '')).subarray(0, 9).toString('latin1');
  // Length, type, flags and stream: both are frames of stream 0.
  return /^\0[^][^](?:\x04|\x07)\0\0{4}$/.test(start);
}

/** Describes an error of the response, or after the request was sent; `undefined` if no connection was opened. */
function httpTrouble(
  error: Error,
  code: string,
  { sent, arrived }: ExchangeFacts,
): FailureFacts | undefined {
  if (UNEXPECTED.test(error.message)) return headed('unexpected protocol response');
  if (['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW'].includes(code))
    return ofResponse('has headers that are too large');
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_'))
    return { ...ofResponse('is not valid HTTP'), hint: CHECK_SCHEME };
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    // Before a response has started, this means two contradictory lengths.
    return ofResponse(arrived === undefined ? 'is not valid HTTP' : `was cut off after ${arrived}`);
  if (!sent) return undefined;
  if (arrived !== undefined) return ofResponse(`was cut off after ${arrived}`);
  const detail = code === '' || LOST.includes(code) ? '' : ` (${code})`;
  return headed('no response', '', `the connection was lost${detail}`);
}

const CHECK_SCHEME = 'check whether the base URL begins with http:// or https://';

/** Codes of a certificate whose authority is unknown: only then another authority helps. */
const UNKNOWN_AUTHORITY = /SELF_SIGNED|UNABLE_TO/;

const CERTIFICATE =
  /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|UNSPECIFIED/;

/** Problems of a certificate in words, followed by the code. */
const certificateFaults: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed ',
  SELF_SIGNED_CERT_IN_CHAIN: 'signed by an unknown authority ',
  UNABLE_TO_GET_ISSUER_CERT: 'signed by an unknown authority ',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'signed by an unknown authority ',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'signed by an unknown authority ',
  CERT_HAS_EXPIRED: 'expired ',
  CERT_NOT_YET_VALID: 'not yet valid ',
  ERR_TLS_CERT_ALTNAME_INVALID: 'issued for another host ',
};

/** Describes why there is no connection to the service or the proxy. `host` is the host name with its port. */
function connectTrouble(
  code: string,
  hostname: string,
  host: string,
  { connectMs, authorityHint }: Pick<ExchangeFacts, 'connectMs' | 'authorityHint'>,
): FailureFacts {
  if (code === 'ENOTFOUND')
    return { what: `cannot resolve host ${hostname} (DNS)`, retryable: false };
  if (code === 'EAI_AGAIN') return { what: `DNS did not respond for ${hostname}` };
  if (code === 'ECONNREFUSED') {
    const hint = 'is the sandbox running? social sandbox serve';
    return {
      what: `connection refused by ${host}`,
      hint: isLoopbackHost(hostname) ? hint : undefined,
    };
  }
  if (code === CONNECT_TIMEOUT) return { what: `no connection to ${host} ${within(connectMs)}` };
  if (LOST.includes(code)) return { what: `the connection to ${host} was lost` };
  if (code.startsWith('ERR_SSL') || code === 'EPROTO')
    return { what: `no TLS connection to ${host} (${code})`, hint: CHECK_SCHEME, retryable: false };
  if (CERTIFICATE.test(code))
    return {
      what: `certificate of ${hostname} is not trusted: ${certificateFaults[code] ?? ''}(${code})`,
      hint: UNKNOWN_AUTHORITY.test(code) ? authorityHint : undefined,
      retryable: false,
    };
  return { what: `no connection to ${host}${code === '' ? '' : ` (${code})`}` };
}

const within = (ms: number) => `within ${ms / 1000}s`;

/** Describes why a proxy has opened no tunnel to the service. */
function proxyTrouble(
  { problem, status, hint, cause }: ProxyFault,
  code: string,
  facts: ExchangeFacts,
): FailureFacts {
  const { url, proxyHost, connectMs } = facts;
  const start = `no connection to ${url.host}`;
  const proxy = `proxy ${proxyHost}`;
  const unread = unreadBy(cause, code, proxy);
  if (unread !== undefined)
    return { what: `${start}: ${unread.what}`, why: unread.why, retryable: false };
  if (problem === 'unreachable') {
    // The name of the proxy in place of the host: advice about this machine is about the service.
    const trouble = connectTrouble(code, proxy, proxy, facts);
    return { ...trouble, what: `${start}: ${trouble.what}` };
  }
  if (status !== undefined)
    return { what: `${start}: ${proxy} returned HTTP ${status}`, hint, retryable: status >= 500 };
  const why = code === CONNECT_TIMEOUT ? within(connectMs) : code && `(${code})`;
  return { what: `${start}: ${proxy} opened no tunnel ${why}`.trimEnd() };
}

/** Returns the first error that has a code: one of several addresses, which Node joins, or the error or its cause. */
function codedIn(error: Error): { readonly code: string; readonly cause: Error } {
  const parts =
    error instanceof AggregateError ? (error.errors as Error[]) : [error, error.cause as Error];
  const coded = parts.find(
    (part): part is Error & { code: string } =>
      typeof (part as NodeJS.ErrnoException | undefined)?.code === 'string',
  );
  return { code: coded?.code ?? '', cause: coded ?? error };
}
