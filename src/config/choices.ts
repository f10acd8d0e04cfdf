// The values that flags, variables and settings share: forms of output, colour, and the flags as they were parsed.

/** Flag values as commander collected them, by key. */
export type RawFlags = Readonly<Record<string, unknown>>;

/** What `-o` takes. */
export const outputForms = ['table', 'wide', 'json', 'ndjson', 'tsv'] as const;

export type OutputWord = (typeof outputForms)[number];

/** How a result is written; `wide` is a table too. */
export type OutputForm = Exclude<OutputWord, 'wide'>;

/** Whether a form of output is for programs. */
export const isJsonForm = (form: OutputWord): boolean => form === 'json' || form === 'ndjson';

/** Whether the variable of a switch turns it on; `undefined` where it is not set or empty. */
export const switchedOn = (text: string | undefined): boolean | undefined =>
  text === undefined || text === '' ? undefined : !['0', 'false'].includes(text);

export const colorChoices = ['auto', 'always', 'never'] as const;

export type ColorChoice = (typeof colorChoices)[number];

/** The colour that was asked for; one that was typed on the line counts before the environment. */
export interface ColorWish {
  readonly choice: ColorChoice;
  readonly typed: boolean;
}
