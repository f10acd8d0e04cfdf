// MediaItem: the one resource that forbids additional properties.

import * as z from 'zod/mini';
import { enumeration } from './enumeration.ts';

/** A size, a dimension or a count: a positive integer up to 2^53 - 1. */
const PositiveInteger = z.int().check(z.positive(), z.maximum(9007199254740991));
const Named = z.string().check(z.minLength(1));

export const MediaItem = z
  .strictObject({
    type: enumeration(['image', 'video', 'gif', 'audio', 'document']),
    url: z.url(),
    title: z.optional(Named),
    altText: z.optional(Named),
    filename: z.optional(Named),
    mimeType: z.optional(Named),
    size: z.optional(PositiveInteger),
    thumbnail: z.optional(z.url()),
    durationMs: z.optional(PositiveInteger),
    durationSeconds: z.optional(z.number().check(z.positive())),
    width: z.optional(PositiveInteger),
    height: z.optional(PositiveInteger),
    frameRate: z.optional(z.number().check(z.positive())),
    frameCount: z.optional(PositiveInteger),
  })
  .register(z.globalRegistry, { id: 'MediaItem' });
