// MediaItem: the one resource that forbids additional properties.

import * as z from 'zod';
import { enumeration } from './enumeration.ts';

/** A size, a dimension or a count: a positive integer up to 2^53 - 1. */
const PositiveInteger = z.int().positive().max(9007199254740991);
const Named = z.string().min(1);

export const MediaItem = z
  .strictObject({
    type: enumeration(['image', 'video', 'gif', 'audio', 'document']),
    url: z.url(),
    title: Named.optional(),
    altText: Named.optional(),
    filename: Named.optional(),
    mimeType: Named.optional(),
    size: PositiveInteger.optional(),
    thumbnail: z.url().optional(),
    durationMs: PositiveInteger.optional(),
    durationSeconds: z.number().positive().optional(),
    width: PositiveInteger.optional(),
    height: PositiveInteger.optional(),
    frameRate: z.number().positive().optional(),
    frameCount: PositiveInteger.optional(),
  })
  .meta({ id: 'MediaItem' });
