// What surrounds the error of an answer: for the description of the API. Answers are read without it.

import * as z from 'zod/mini';

/** `ok` alone decides nothing: the document's own samples show `ok: true` in error bodies. */
export const ErrorEnvelope = z.object({
  ok: z.boolean(),
  error: z.object({ code: z.string(), message: z.string(), details: z.unknown() }),
});

export type ErrorEnvelope = z.output<typeof ErrorEnvelope>;
