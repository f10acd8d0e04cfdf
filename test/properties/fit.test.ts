// The quick test of a schema against zod itself, on values that are almost right: it must never pass what zod would
// complain of, and should pass all else.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { compileValidator } from '../../src/api/schema/compile-validator.ts';

const seed = 20260302;
const operations = await everyOperation();

/** Texts and other things of which some are right for any field. */
const texts = [
  ['PostSpringLaunch', 'PostSpringLaunc', 'PostSpringLaunch\n', 'Pöst', '', ' ', '42'],
  ['2026-03-02T12:00Z', '2026-03-02T12:00:59.5Z', '2026-02-29T12:00:00Z', '2024-02-29T23:59Z'],
  ['2026-04-31T12:00:00Z', '2026-03-02T24:00:00Z', '2026-03-02T12:60:00Z', 'x'.repeat(300)],
  ['https://hooks.example.com/in', 'http://hooks.example.com', 'x', 'a'.repeat(64), '\ud800'],
  ['published', 'mastodon', 'post.failed', 'favourite', 'Some text.', 'correct horse'],
];
const others = [0, 1, -1, 1.5, 60, 1e21, 2 ** 53, null, true, false, [], {}, ['x'], { a: 'b' }];
const things: readonly unknown[] = [...texts.flat(), ...others];
const odd = fc.oneof(fc.constantFrom(...things), fc.jsonValue({ maxDepth: 2 }));

/** Values that fit a schema more often than not. */
function like(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable)
    return like(schema.def.innerType);
  if (schema instanceof z.ZodMiniArray)
    return fc.array(mostly(schema.def.element), { maxLength: 3 });
  if (schema instanceof z.ZodMiniObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => {
      const own = mostly(field);
      const needed = !(field instanceof z.ZodMiniOptional);
      return [name, fc.option(own, { nil: undefined, freq: needed ? 60 : 2 })] as const;
    });
    const stray = fc.option(odd, { nil: undefined, freq: 1 });
    return fc
      .record({
        ...Object.fromEntries(fields),
        stray: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, stray),
      })
      .map((value) =>
        Object.fromEntries(Object.entries(value).filter(([, own]) => own !== undefined)),
      );
  }
  const right = things.filter((thing) => z.safeParse(schema, thing).success);
  return right.length === 0 ? odd : fc.constantFrom(...right);
}

const mostly = (schema: z.core.$ZodType) =>
  fc.oneof({ weight: 40, arbitrary: like(schema) }, { weight: 1, arbitrary: odd });

/** A schema and all that it is made of. */
function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const inner =
    schema instanceof z.ZodMiniObject
      ? Object.values(schema.shape)
      : schema instanceof z.ZodMiniArray
        ? [schema.def.element]
        : schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable
          ? [schema.def.innerType]
          : [];
  return [schema, ...inner.flatMap(partsOf)];
}

describe('the quick test', () => {
  it('of each part of a schema says what zod says', () => {
    const schemas = operations.flatMap(({ operation: { input, result } }) => [input, result]);
    const parts = [...new Set(schemas.flatMap(partsOf))].filter(
      (part) => !(part instanceof z.ZodMiniOptional),
    );
    expect(parts.length).toBeGreaterThan(50);
    const verdicts = (judge: (part: z.core.$ZodType, thing: unknown) => boolean) =>
      parts.map((part) => things.map((thing) => judge(part, thing)));
    expect(verdicts((part, thing) => compileValidator(part)(thing))).toEqual(
      verdicts((part, thing) => z.safeParse(part, thing).success),
    );
  });

  it.each(operations.map(({ name, operation }) => [name, operation] as const))(
    'of the input and of the answer of %s says what zod says',
    (_name, { input, result }) => {
      for (const schema of [input, result]) {
        const fits = compileValidator(schema);
        const seen = { true: 0, false: 0 };
        fc.assert(
          fc.property(like(schema), (value) => {
            const { success } = schema.safeParse(value);
            seen[`${success}`]++;
            expect(fits(value)).toBe(success);
          }),
          { seed, numRuns: 400 },
        );
        expect(Math.min(seen.true, seen.false)).toBeGreaterThan(0);
      }
    },
  );
});
