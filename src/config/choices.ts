// The values that flags, variables and settings share: output forms, colour, and the parsed flags.

/** Flag values as commander collected them, by key. */
export type RawFlags = Readonly<Record<string, unknown>>;

/** The words of `-o`. */
export const outputForms = ['table', 'wide', 'json', 'ndjson', 'tsv'] as const;

export type OutputWord = (typeof outputForms)[number];

/** The form in which a result is written; `wide` is a table too. */
export type OutputForm = Exclude<OutputWord, 'wide'>;

/** True if an output form is for programs. */
export const isJsonForm = (form: OutputWord): boolean => form === 'json' || form === 'ndjson';

/** Reads the variable of a switch; `undefined` if it is unset or empty. */
export const switchedOn = (text: string | undefined): boolean | undefined =>
  text === undefined || text === '' ? undefined : !['0', 'false'].includes(text);

export const colorChoices = ['auto', 'always', 'never'] as const;

export type ColorChoice = (typeof colorChoices)[number];

/** The requested colour; the command line takes precedence over the environment. */
export interface ColorWish {
  readonly choice: ColorChoice;
  readonly typed: boolean;
}
