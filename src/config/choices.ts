// The values that flags, variables and settings share: forms of output, colour, and the flags as they were parsed.

/** Flag values as commander collected them, by key. */
export type RawFlags = Readonly<Record<string, unknown>>;

/** What `-o` takes. */
export const outputForms = ['table', 'json', 'ndjson', 'tsv'] as const;

export type OutputForm = (typeof outputForms)[number];

export type ColorChoice = 'auto' | 'always' | 'never';

/** What was asked for, and whether it was typed on the line: then it counts before the environment. */
export interface ColorWish {
  readonly choice: ColorChoice;
  readonly typed: boolean;
}
