// A request to the sandbox as a recording keeps it: a plain object with a mask in place of every secret. The token is
// in no header here, for headers are not kept, and is masked by value wherever else it may have been written.

import { isMap, parseJson, toJson } from '../json.ts';
import { everyOperation } from '../operations/areas.ts';
import { fieldsOf } from '../operations/field.ts';
import { credentialPlaces, maySecretName } from '../output/credentials.ts';
import { MASK, redactor } from '../output/redact.ts';
import type { Exchange } from '../sandbox/exchange.ts';

/** Any token of a sandbox, also one of before a reset. */
const SANDBOX_TOKEN = /sandbox-[\w-]{32}/g;

/** A function that makes the line of an exchange, without its end. */
export async function recorder(): Promise<(exchange: Exchange) => string> {
  const operations = (await everyOperation()).map(({ operation }) => operation);
  const secretFields = new Set(
    operations.flatMap((operation) =>
      fieldsOf(operation)
        .filter(({ secret }) => secret)
        .map(({ name }) => name),
    ),
  );
  const { maskPath } = await credentialPlaces();
  const isSecret = (name: string) => secretFields.has(name) || maySecretName(name);
  return ({ time, request, status, fault, delayMs }) => {
    const [path = '', query = ''] = request.url.split(/\?(.*)/s);
    const given = /\S+$/.exec(request.headers['authorization']?.trim() ?? '')?.[0] ?? '';
    const hide = redactor([given]);
    const redact = (text: string) => hide(text).replaceAll(SANDBOX_TOKEN, MASK);
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
