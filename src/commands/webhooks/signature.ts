// Signatures of deliveries: an HMAC of the body in a header, or the three headers of Standard Webhooks. The API
// document does not say which one the service uses, so the user does.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { HEADER_NAME } from '../../api/schema/webhook.ts';
import type { Fault } from '../../base/fault.ts';
import { quote } from '../../base/sanitize.ts';
import type { Call } from '../../cli/command-spec.ts';
import { type FlagType, InvalidValue } from '../../config/flag-types.ts';
import { secretFrom } from '../../input/text-input.ts';
import type { Delivery, SignatureCheck } from './delivery.ts';

type Encoding = 'hex' | 'base64';

interface HmacScheme {
  readonly encoding: Encoding;
  readonly header: string;
}

/** The way in which a delivery is signed. */
type SignatureScheme = HmacScheme | 'standard-webhooks';

/** A scheme with its key. */
interface Signing {
  readonly scheme: SignatureScheme;
  readonly key: Buffer;
}

/** The tolerance that Standard Webhooks recommends: an older delivery may be a copy, sent again by an attacker. */
const TOLERANCE_S = 5 * 60;
/** The start of a secret of Standard Webhooks. */
const WHSEC = 'whsec_';

/** The value of --verify. */
export const signatureScheme: FlagType<SignatureScheme> = {
  parse(text) {
    if (text === 'standard-webhooks') return text;
    const [, encoding, header] = /^hmac-sha256-(hex|base64):(.+)$/.exec(text) ?? [];
    if (header !== undefined && HEADER_NAME.test(header))
      return { encoding: encoding as Encoding, header };
    const rule =
      'must be one of hmac-sha256-hex:<header>, hmac-sha256-base64:<header>, standard-webhooks';
    const fix = 'e.g. --verify hmac-sha256-hex:X-Signature';
    throw new InvalidValue(`${rule}, got ${quote(text)}`, { fix });
  },
};

/**
 * Reads the scheme and the key from the flags; `undefined` without --verify. Adds faults. The secret is masked from
 * then on.
 */
export async function readSigning(
  { flags, typedFlags, runtime }: Pick<Call, 'flags' | 'typedFlags' | 'runtime'>,
  faults: Fault[],
): Promise<Signing | undefined> {
  const scheme = flags['verify'] as SignatureScheme | undefined;
  const secret = await secretFrom({ flag: 'secret' }, flags, runtime);
  // An unreadable secret is a fault.
  if (typeof secret === 'object') {
    faults.push(secret);
    return undefined;
  }
  if (secret === undefined) {
    const fix = 'add --secret-file <file> or --secret-env <name>';
    // An invalid scheme is in `typedFlags` alone; its own fault is reported too.
    if (typedFlags['verify'] !== undefined)
      faults.push({ field: '--verify', problem: 'needs the signing secret', fix });
    return undefined;
  }
  runtime.secrets.add([secret]);
  const key = keyOf(secret);
  const field = flags['secretFile'] === undefined ? '--secret-env' : '--secret-file';
  if (key === undefined)
    faults.push({ field, problem: `must be base64 after ${WHSEC}, and not empty` });
  return scheme && key && { scheme, key };
}

/**
 * Decodes the key: a secret that starts with `whsec_` is base64, as in Standard Webhooks; any other is its own bytes.
 * Returns `undefined` if it is empty or invalid.
 */
function keyOf(secret: string): Buffer | undefined {
  const key = secret.startsWith(WHSEC)
    ? bytesOf(secret.slice(WHSEC.length), 'base64')
    : Buffer.from(secret);
  return key?.length === 0 ? undefined : key;
}

/** Decodes hexadecimal, or base64 of either alphabet; `undefined` for other text, of which Node would skip a part. */
function bytesOf(text: string, encoding: Encoding): Buffer | undefined {
  const isValid =
    encoding === 'hex' ? /^(?:[\da-f]{2})+$/i.test(text) : /^[\w+/-]+={0,2}$/.test(text);
  return isValid ? Buffer.from(text, encoding) : undefined;
}

/** Compares in constant time; a value of another length is not a digest. */
const isSameDigest = (expected: Buffer, received: Buffer | undefined): boolean =>
  received !== undefined &&
  received.length === expected.length &&
  timingSafeEqual(expected, received);

/** Verifies that the body was signed with the key. */
export function verifySignature(
  { scheme, key }: Signing,
  { headers, body, time }: Pick<Delivery, 'headers' | 'body' | 'time'>,
): SignatureCheck {
  const values: string[] = [];
  for (const name of scheme === 'standard-webhooks' ? STANDARD_HEADERS : [scheme.header]) {
    const [value, ...others] = headers[name.toLowerCase()] ?? [];
    if (value === undefined) return { verified: false, reason: `no ${name} header` };
    if (others.length > 0) return { verified: false, reason: `several ${name} headers` };
    values.push(value);
  }
  const reason =
    scheme === 'standard-webhooks'
      ? standardProblem(values, key, body, time)
      : hmacProblem(values, scheme, key, body);
  return { verified: reason === undefined, reason };
}

const SHA256_BYTES = 32;
const MISMATCH = 'the signature does not match';

/** Returns why the HMAC in a header does not verify the body; `undefined` if it does. */
function hmacProblem(
  [value = '']: readonly string[],
  { header, encoding }: HmacScheme,
  key: Buffer,
  body: Uint8Array,
): string | undefined {
  // Some services put the name of the hash before it, as GitHub does.
  const digest = bytesOf(value.trim().replace(/^sha256=/i, ''), encoding);
  if (digest?.length !== SHA256_BYTES) return `${header} is not a SHA-256 in ${encoding}`;
  return isSameDigest(createHmac('sha256', key).update(body).digest(), digest)
    ? undefined
    : MISMATCH;
}

const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Returns why the headers of Standard Webhooks do not verify the body; `undefined` if they do. */
function standardProblem(
  [id = '', timestamp = '', signatures = '']: readonly string[],
  key: Buffer,
  body: Uint8Array,
  now: number,
): string | undefined {
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is not a number of seconds';
  // Node decodes headers as Latin-1.
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`, 'latin1');
  const expected = signed.update(body).digest();
  // While a key is replaced there are several signatures, and one that matches is enough.
  const v1Signatures = signatures.split(' ').filter((signature) => signature.startsWith('v1,'));
  if (v1Signatures.length === 0) return 'webhook-signature has no v1 signature';
  if (
    !v1Signatures.some((signature) =>
      isSameDigest(expected, bytesOf(signature.slice('v1,'.length), 'base64')),
    )
  )
    return MISMATCH;
  const age = Math.floor(now / 1000) - Number(timestamp);
  if (Math.abs(age) <= TOLERANCE_S) return undefined;
  return `webhook-timestamp is ${Math.abs(age)}s ${age > 0 ? 'old' : 'ahead'} (limit ${TOLERANCE_S}s)`;
}
