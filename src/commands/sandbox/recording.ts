// The file of `sandbox serve --record`: a line for each request, whole and written before the answer leaves, so that
// who has the answer finds the line. A new private file: nothing that is there is ever written over or added to.

import { closeSync, openSync, writeSync } from 'node:fs';
import { isMap, parseJson, toJson } from '../../base/json.ts';
import { cannotRecord, codeOf, ioFailure } from '../../fs/io-errors.ts';
import { secretPlaces, maySecretName } from '../../output/credentials.ts';
import { MASK, createRedactor } from '../../output/redact.ts';
import type { SandboxExchange } from '../../sandbox/http-exchange.ts';

// A request to the sandbox as a recording keeps it: a plain object with a mask in place of every secret. The token is
// in no header here, for headers are not kept, and is masked by value wherever else it may have been written.

/** Any token of a sandbox, also one of before a reset. */
const SANDBOX_TOKEN = /sandbox-[\w-]{32}/g;

/** A function that makes the line of an exchange, without its end. */
export async function recorder(): Promise<(exchange: SandboxExchange) => string> {
  const { maskPath, isSecretAt } = await secretPlaces();
  return ({ time, request, status, fault, delayMs }) => {
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
  };
}

interface Masking {
  /** By the name of a field. */
  readonly isSecret: (name: string) => boolean;
  /** By value, in any text. */
  readonly redact: (text: string) => string;
}

/** Name and value, or the values of a name that came several times. */
function maskQuery(query: string, { isSecret, redact }: Masking): Record<string, unknown> {
  const given = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const values = given.getAll(name).map((value) => (isSecret(name) ? MASK : redact(value)));
      return [redact(name), values.length === 1 ? values[0] : values];
    }),
  );
}

/** The JSON of a body; of one that is no JSON only its size, for nobody knows what is in it. */
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
      masking.isSecret(name) ? hidden(each) : masked(each, masking),
    ]),
  );
}

/** A secret, or each value of a map of them; what clears one is none. */
function hidden(value: unknown): unknown {
  if (value === null) return null;
  if (!isMap(value)) return MASK;
  return Object.fromEntries(Object.keys(value).map((name) => [name, MASK]));
}

export interface SandboxRecording {
  /** Adds a line; where that fails it is noted once, and the sandbox goes on. */
  add(exchange: SandboxExchange): void;
  close(): void;
}

/** Makes the file, mode 0600. Throws `Failure('local_io')` where there is one, or none can be made. */
export function startRecording(
  path: string,
  lineOf: (exchange: SandboxExchange) => string,
  note: (line: string) => void,
): SandboxRecording {
  const fd = create(path);
  let failed = false;
  return {
    add(exchange) {
      try {
        const bytes = Buffer.from(`${lineOf(exchange)}\n`);
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
      } catch (error) {
        if (!failed)
          note(`sandbox: ${cannotRecord(path, error).message}; requests are missing there`);
        failed = true;
      }
    },
    close: () => closeSync(fd),
  };
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw cannotRecord(path, error);
    throw ioFailure(`${path} is there already; name a new file for --record, or remove it`, error);
  }
}
