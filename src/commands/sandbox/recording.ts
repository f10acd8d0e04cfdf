// The file of `sandbox serve --record`: a JSON line for each request, with a mask in place of every secret, written
// before the answer is sent. Always a new private file: an existing one is neither overwritten nor added to.

import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { isMap, parseJson, toJson } from '../../base/json.ts';
import { urlWithoutUserInfo } from '../../base/url.ts';
import { cannotRecord, codeOf, ioFailure } from '../../fs/io-errors.ts';
import { maySecretName, type SecretPlaces } from '../../output/credentials.ts';
import { MASK, createRedactor } from '../../output/redact.ts';
import type { SandboxExchange } from '../../sandbox/http-exchange.ts';

/** Any token of a sandbox, also one from before a reset. */
const SANDBOX_TOKEN = /sandbox-[\w-]{32}/g;

/** The line of an exchange, without its end. Headers are not recorded. */
export function exchangeLine(
  { time, request, status, fault, delayMs }: SandboxExchange,
  { maskPath, isSecretAt }: SecretPlaces,
): string {
  const [path = '', query = ''] = request.url.split(/\?(.*)/s);
  const given = /\S+$/.exec(request.headers['authorization']?.trim() ?? '')?.[0] ?? '';
  const hide = createRedactor([given]);
  const redact = (text: string) => hide(text).replaceAll(SANDBOX_TOKEN, MASK);
  const isDeclared = isSecretAt(path);
  const isSecret = (name: string) => isDeclared(name) || maySecretName(name);
  const masking = { isSecret, redact };
  return toJson({
    time: new Date(time).toISOString(),
    method: request.method,
    path: redact(maskPath(path)),
    query: maskQuery(query, masking),
    body: maskBody(request.body, masking),
    status: status ?? null,
    fault: fault === undefined ? null : String(fault),
    delayMs,
  });
}

interface Masking {
  /** By the name of a field. */
  readonly isSecret: (name: string) => boolean;
  /** By value, in any text. */
  readonly redact: (text: string) => string;
}

/** Name and value, or the values of a repeated name. */
function maskQuery(query: string, { isSecret, redact }: Masking): Record<string, unknown> {
  const given = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const values = given.getAll(name).map((value) => (isSecret(name) ? MASK : redact(value)));
      return [redact(name), values.length === 1 ? values[0] : values];
    }),
  );
}

/** The JSON of a body. Of one that is not JSON only the size: any part of it may be secret. */
function maskBody(body: string | undefined, masking: Masking): unknown {
  if (body === undefined || body === '') return null;
  try {
    return masked(parseJson(body), masking);
  } catch {
    return `[${Buffer.byteLength(body)} bytes that are not JSON]`;
  }
}

function masked(value: unknown, masking: Masking): unknown {
  if (typeof value === 'string') return masking.redact(value);
  if (Array.isArray(value)) return value.map((each) => masked(each, masking));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]): [string, unknown] => [
      masking.redact(name),
      masking.isSecret(name) ? hidden(each) : maskedUnder(name, each, masking),
    ]),
  );
}

/** Of an address neither the query nor a user: a receiver of webhooks may have its key there. */
function maskedUnder(name: string, value: unknown, masking: Masking): unknown {
  const shown = masked(value, masking);
  return typeof shown === 'string' && /url$/i.test(name) ? urlWithoutUserInfo(shown) : shown;
}

/** A mask for a secret, or for each value of a map of them; `null`, which clears one, is not masked. */
function hidden(value: unknown): unknown {
  if (value === null) return null;
  if (!isMap(value)) return MASK;
  return Object.fromEntries(Object.keys(value).map((name) => [name, MASK]));
}

/** Creates the file, mode 0600. Throws `Failure('local_io')` where it exists or cannot be created. */
export function startRecording(path: string, places: SecretPlaces, note: (line: string) => void) {
  const fd = create(path);
  let failed = false;
  return {
    /** Adds a line. A failure is noted once, and the sandbox continues. */
    add(exchange: SandboxExchange): void {
      try {
        const bytes = Buffer.from(`${exchangeLine(exchange, places)}\n`);
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
      } catch (error) {
        if (!failed)
          note(`sandbox: ${cannotRecord(path, error).message}; some requests are not recorded`);
        failed = true;
      }
    },
    close: (): void => closeSync(fd),
    /** Deletes the file, where nothing is to be recorded after all. */
    remove: (): void => rmSync(path, { force: true }),
  };
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw cannotRecord(path, error);
    throw ioFailure(`${path} already exists; choose a new file for --record, or delete it`, error);
  }
}
