// What undici and Node say went wrong, in words of ours. Never quotes what the other side sent.

import { Failure } from '../errors.ts';
import { isLoopbackHost } from '../schema/address.ts';
import { NOT_THIS_MACHINE } from './loopback.ts';
import type { Arrived } from './network-answer.ts';

interface Facts {
  readonly sent: boolean;
  readonly url: string;
  /** The proxy in between, less its password. */
  readonly proxyHost: string | undefined;
  /** What had come of an answer. */
  readonly arrived: Arrived | undefined;
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|HOSTNAME_MISMATCH/;

/** What is wrong with a certificate, in words; the code follows them. */
const certificateFaults: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'signed by an unknown authority',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'made out to another host',
};

/** The `no_answer` failure for an error below HTTP. Retryable only when it is transient and nothing had left. */
export function networkFailure(error: Error, { sent, url, proxyHost, arrived }: Facts): Failure {
  const { code, cause } = firstOf(error);
  const { hostname, host, protocol } = new URL(url);
  const make = (what: string, more: { hint?: string; retryable?: boolean } = {}) =>
    new Failure('no_answer', {
      what,
      sent,
      retryable: !sent && (more.retryable ?? true),
      cause,
      ...(more.hint === undefined ? {} : { hint: more.hint }),
    });

  const tunnel = /^Proxy response \((\d+)\)/.exec(error.message)?.[1];
  if (tunnel !== undefined)
    return make(`proxy ${proxyHost} answered ${tunnel}`, { retryable: Number(tunnel) >= 500 });

  if (code === NOT_THIS_MACHINE) {
    return new Failure('usage', {
      what: `${hostname} does not point to this machine; refusing to send a token over http`,
      sent: false,
      retryable: false,
    });
  }
  // undici's parser wants address space of its own, some gigabytes of it.
  if (error instanceof RangeError)
    return make('there is not enough memory for a connection', { retryable: false });
  // undici's words for a 101 and a 100 that nobody asked for.
  if (/^bad (upgrade|response)$/.test(error.message)) return make('unexpected protocol answer');

  switch (code) {
    case 'ENOTFOUND':
      return make(`cannot find host ${hostname} (DNS)`, { retryable: false });
    case 'EAI_AGAIN':
      return make(`DNS did not answer for ${hostname}`);
    case 'ECONNREFUSED':
      return make(
        `connection refused by ${proxyHost === undefined ? host : `proxy ${proxyHost}`}`,
        isLoopbackHost(hostname) ? { hint: 'is the sandbox running? social sandbox serve' } : {},
      );
    case 'UND_ERR_CONNECT_TIMEOUT':
      return make(`no connection to ${host} within 10 s`);
    case 'UND_ERR_HEADERS_OVERFLOW':
      return make('the answer’s headers are too large');
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      // Before an answer has begun: it says two things about its length.
      return make(arrived === undefined ? 'the answer is not valid HTTP' : cutOff(arrived));
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      if (arrived !== undefined) return make(cutOff(arrived));
      return make(
        sent
          ? 'the connection was lost after the request was sent'
          : `the connection to ${host} was lost`,
      );
    default:
  }
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_'))
    return make('the answer is not valid HTTP');
  if (CERTIFICATE.test(code)) {
    const fault = certificateFaults[code];
    const why = fault === undefined ? `(${code})` : `${fault} (${code})`;
    return make(`certificate of ${hostname} not trusted: ${why}`, {
      hint: 'name the authority with --cacert FILE or NODE_EXTRA_CA_CERTS',
      retryable: false,
    });
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') {
    return make(`the server did not speak HTTP here; check ${protocol}//`, { retryable: false });
  }
  return make(`no connection to ${host}${code === '' ? '' : ` (${code})`}`);
}

/** What is wrong with an answer of which only a part has come. */
function cutOff({ bytes, declared }: Arrived): string {
  if (declared === undefined) return `the answer was cut off after ${bytes} bytes`;
  return `the answer was cut off (${bytes} of ${declared} bytes)`;
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
