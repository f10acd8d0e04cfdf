// Secrets that are known by their value are taken out of texts, JSON values, failures and inputs.

import { describe, expect, it } from 'vitest';
import type { Field } from '../../src/api/operations/fields.ts';
import { Failure } from '../../src/base/errors.ts';
import {
  createRedactor,
  createSecrets,
  MASK,
  maskSecretFields,
  redactFailure,
} from '../../src/output/redact.ts';
import { cpuTimer } from '../support/cpu-time.ts';
import { encodingsOf } from '../support/token-leak-check.ts';

const SECRETS = ['pa/ss+w"ord\\&<=?>', 'wörd/𝒳+s3cret', 's3cretss', '~~~~', '???~', 'four'];

describe('a redactor', () => {
  it.each(
    SECRETS.flatMap((secret) =>
      [...encodingsOf(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')].map(
        (form) => ({ form }),
      ),
    ),
  )('removes a secret written as $form', ({ form }) => {
    const mask = createRedactor(SECRETS);
    expect(mask(`<${form}>${form}.`)).toBe('<[redacted]>[redacted].');
    expect(mask(`%25\\u0020 ${form}%2F`)).toBe('%25\\u0020 [redacted]%2F');
  });

  it('removes digits written as a JSON number', () => {
    const [short, long] = ['4815162342108', '98765432109876543210'];
    const mask = createRedactor([short, long]);
    for (const token of [short, long]) {
      const echoed = JSON.parse(`{"n":${token}}`) as { n: number };
      expect(mask(String(echoed.n))).toBe(MASK);
    }
    expect(mask('4815162342109')).toBe('4815162342109');
  });

  it('removes the longer of two overlapping secrets whole', () => {
    expect(createRedactor(['abcd', 'abcdef'])('abcdef abcd')).toBe('[redacted] [redacted]');
  });

  it.each(['', 'a', 'was', '0000'])('ignores secrets that are too short: %j', (none) => {
    expect(createRedactor([none])('0 as it was, 000')).toBe('0 as it was, 000');
  });

  it('takes time in proportion to the text', () => {
    const mask = createRedactor(['canary-token-of-mine', 'x'.repeat(8000)]);
    const usedMs = cpuTimer();
    for (const text of ['%63an\\u0061', '…', '&#99;', 'x...', 'canary-token-'])
      mask(text.repeat(40_000));
    expect(usedMs()).toBeLessThan(5000);
  });
});

describe('the secrets of a run', () => {
  it('are those of the start, and those added until they are removed', () => {
    const secrets = createSecrets('first-one');
    const text = 'first-one second-one third-one';
    expect(secrets.mask(text)).toBe(`${MASK} second-one third-one`);
    const takeBack = secrets.add(['second-one']);
    expect(secrets.mask(text)).toBe(`${MASK} ${MASK} third-one`);
    takeBack();
    secrets.add(['third-one']);
    // The number of secrets is unchanged, but one of them is another.
    expect(secrets.mask(text)).toBe(`${MASK} second-one ${MASK}`);
  });

  it('are empty without a token, and after the last one is removed', () => {
    const secrets = createSecrets('');
    secrets.add(['second-one'])();
    expect(secrets.mask('a second-one')).toBe('a second-one');
  });

  it('are masked in results only for access tokens: in texts, keys and numbers', () => {
    const secrets = createSecrets('4815162342108', ['webhook-secret']);
    const result = { secret: 'webhook-secret', n: 4815, list: [true, null] };
    expect(secrets.maskTokens(result)).toBe(result);
    secrets.addToken('second-token');
    const echo = { ...result, 'a second-token': { n: 4815162342108, t: 'Bearer second-token' } };
    expect(secrets.maskTokens(echo)).toEqual({
      ...result,
      [`a ${MASK}`]: { n: MASK, t: `Bearer ${MASK}` },
    });
  });
});

it('are masked in each text of a failure, and in nothing else', () => {
  const shout = (text: string) => text.toUpperCase();
  const texts = { what: 'a', message: 'b', hint: 'e', code: 'g', requestId: 'j' };
  const words = { next: ['f', { gap: 'f' }], why: ['c', 'd'] };
  const facts = { ...texts, ...words, details: { h: ['i'] }, status: 422, host: 'k' };
  expect(redactFailure(new Failure('refused', facts), shout)).toMatchObject({
    kind: 'refused',
    facts: {
      what: 'A',
      message: 'B',
      hint: 'E',
      next: ['F', { gap: 'f' }],
      code: 'G',
      requestId: 'J',
      why: ['C', 'D'],
      details: { H: ['I'] },
      status: 422,
      host: 'K',
    },
  });
  const { facts: bare } = redactFailure(new Failure('refused', { what: 'a' }), shout);
  expect(bare).toEqual({ what: 'A' });
});

it('are masked in the input that a result shows', () => {
  const field = (name: string, secret: boolean) => ({ name, secret }) as unknown as Field;
  const fields = [field('a', true), field('map', true), field('b', false), field('none', true)];
  const input = { a: 'x', map: { one: '1', two: '2' }, b: 'y' };
  const masked = { a: MASK, map: { one: MASK, two: MASK }, b: 'y' };
  expect(maskSecretFields(fields, input)).toEqual(masked);
  expect(maskSecretFields(fields, { a: null, b: 'y' })).toEqual({ a: null, b: 'y' });
  expect(maskSecretFields(fields, { map: 'text', a: 5 })).toEqual({ map: MASK, a: MASK });
});
