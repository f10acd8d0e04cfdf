// The words of the API document as schemas, judged directly: timestamps, media, recycling, and the rest of the
// bounds that only answers carry.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ResourceId } from '../../../src/api/schema/ids.ts';
import { Platform } from '../../../src/api/schema/platforms.ts';
import { MediaItem, Post, Recycling, Status, Target } from '../../../src/api/schema/post.ts';
import { countCodePoints, isTimestamp, Timestamp } from '../../../src/api/schema/rules.ts';
import { WebhookEvent } from '../../../src/api/schema/webhook.ts';

const fits = (schema: z.ZodMiniType, value: unknown) => schema.safeParse(value).success;

const part = (max: number) => fc.integer({ min: 0, max });
const pad = (n: number, width = 2) => String(n).padStart(width, '0');

describe('a timestamp', () => {
  it.each([
    '2026-03-01T09:30Z',
    '2026-03-01T09:30:15Z',
    '2026-03-01T09:30:15.123456789Z',
    '2024-02-29T00:00Z',
    '2000-02-29T00:00Z',
    '1600-02-29T00:00Z',
    '0000-01-01T00:00Z',
    '9999-12-31T23:59:59.999Z',
  ])('may be %s', (text) => {
    expect(fits(Timestamp, text)).toBe(true);
  });

  it.each([
    ['no Z', '2026-03-01T09:30'],
    ['an offset', '2026-03-01T09:30+00:00'],
    ['a small z', '2026-03-01T09:30z'],
    ['a space', '2026-03-01 09:30Z'],
    ['a date alone', '2026-03-01'],
    ['an empty fraction', '2026-03-01T09:30:15.Z'],
    ['the hour 24', '2026-03-01T24:00Z'],
    ['the minute 60', '2026-03-01T09:60Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['29 February of a common year', '2026-02-29T00:00Z'],
    ['five digits of a year', '12026-04-30T00:00Z'],
    ['a line break at the end', '2026-03-01T09:30Z\n'],
    ['other digits', '２026-03-01T09:30Z'],
    ['nothing', ''],
  ])('rejects %s: %s', (_what, text) => {
    expect(fits(Timestamp, text)).toBe(false);
  });

  it('must be a real calendar date', () => {
    fc.assert(
      fc.property(part(2400), part(14), part(33), (year, month, day) => {
        const text = `${pad(year, 4)}-${pad(month)}-${pad(day)}T00:00Z`;
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        expect(isTimestamp(text)).toBe(real);
      }),
      { seed: 20260302, numRuns: 2000 },
    );
  });
});

const item = { type: 'image', url: 'https://h.example/a.jpg' };

describe('a media item', () => {
  it.each(['image', 'video', 'gif', 'audio', 'document'])('may be a %s', (type) => {
    expect(fits(MediaItem, { ...item, type })).toBe(true);
  });

  it('has whole sizes from 1 to 9007199254740991, rates above 0, and texts that are not empty', () => {
    for (const [field, good, bad] of [
      ['size', [1, 9007199254740991], [0, 9007199254740992, 1.5, '1']],
      ['frameRate', [Number.MIN_VALUE, 23.976], [0, -0.1, '1', Infinity]],
      ['altText', ['x'], ['']],
    ] as const) {
      for (const value of good) expect(fits(MediaItem, { ...item, [field]: value })).toBe(true);
      for (const value of bad) expect(fits(MediaItem, { ...item, [field]: value })).toBe(false);
    }
  });

  it('has a type and a URI, and rejects unlisted properties', () => {
    expect(fits(MediaItem, { type: 'image' })).toBe(false);
    expect(fits(MediaItem, { url: item.url })).toBe(false);
    expect(fits(MediaItem, { ...item, url: 'not a uri' })).toBe(false);
    expect(fits(MediaItem, { ...item, thumbnail: 'not a uri' })).toBe(false);
    expect(fits(MediaItem, { ...item, type: 'hologram' })).toBe(false);
    expect(fits(MediaItem, { ...item, more: 1 })).toBe(false);
  });
});

describe('recycling', () => {
  it.each([
    ['every', 365],
    ['maxOccurrences', 1000],
  ])('has %s from 1 to %i', (field, limit) => {
    for (const value of [1, limit]) expect(fits(Recycling, { [field]: value })).toBe(true);
    for (const value of [0, limit + 1, 1.5, '1'])
      expect(fits(Recycling, { [field]: value })).toBe(false);
  });

  it('has three rhythms and four ends, and accepts unlisted fields', () => {
    for (const value of ['daily', 'weekly', 'monthly'])
      expect(fits(Recycling, { interval: value, frequency: value })).toBe(true);
    expect(fits(Recycling, { interval: 'hourly' })).toBe(false);
    for (const field of ['endsAt', 'expiresAt', 'until', 'endDate']) {
      expect(fits(Recycling, { [field]: '2026-03-01T09:30Z' })).toBe(true);
      expect(fits(Recycling, { [field]: '2026-03-01' })).toBe(false);
    }
    const more = { enabled: true, novelty: 1 };
    expect(Recycling.parse(more)).toEqual(more);
  });
});

describe('the enumerated values', () => {
  it.each([
    [
      'platforms',
      Platform,
      'twitter pinterest linkedin bluesky mastodon reddit telegram youtube facebook instagram threads tiktok googlebusiness discord',
    ],
    [
      'statuses',
      Status,
      'draft scheduled publishing published unpublished action_required failed partial cancelled',
    ],
    [
      'events',
      WebhookEvent,
      'post.scheduled post.updated post.published post.unpublished post.failed post.partial post.recycled account.connected account.disconnected ad.created ad.status_changed account.ads.initial_sync_completed',
    ],
  ])('of the %s are those of the API document', (_what, { options }, names) => {
    expect(options).toEqual(names.split(' '));
  });
});

describe('a field that the API document marks as always present', () => {
  it.each([
    [
      'a post',
      Post,
      'createdAt createdBy crosspostingEnabled hashtags id mediaItems mentions metadata organizationId status tags targets updatedAt',
    ],
    ['a target', Target, 'createdAt id platform postId status updatedAt'],
  ] as const)('is required in %s', (_what, schema, fields) => {
    const issues = schema.safeParse({}).error!.issues.map(({ path }) => path.join('.'));
    expect(issues.toSorted().join(' ')).toBe(fields);
  });
});

describe('a resource id', () => {
  it('has only the characters of its pattern', () => {
    const units = Array.from({ length: 65_536 }, (_, unit) => String.fromCharCode(unit));
    const taken = units.filter((unit) => fits(ResourceId, `${unit}bcdefghijklmnop`));
    expect(taken.join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
  });
});

describe('lengths', () => {
  it('count code points, not UTF-16 units', () => {
    expect(countCodePoints('é')).toBe(1);
    expect(countCodePoints('𝒳𝒳')).toBe(2);
    expect(countCodePoints('👩‍👩‍👧')).toBe(5);
  });

  it.each([
    ['profileId', 255],
    ['queuedFromProfile', 255],
  ])('of %s go from 1 to %i', (field, limit) => {
    const schema = z.pick(Post, { profileId: true, queuedFromProfile: true });
    expect(fits(schema, { [field]: '𝒳'.repeat(limit) })).toBe(true);
    expect(fits(schema, { [field]: '𝒳'.repeat(limit + 1) })).toBe(false);
    expect(fits(schema, { [field]: '' })).toBe(false);
  });
});
