// What a table of a platform's errors is made of.

/** What has to happen before a failed target can succeed, in the order in which a person acts on them. */
export const targetCauses = ['temporary', 'reconnect', 'content', 'platform', 'other'] as const;

export type TargetCause = (typeof targetCauses)[number];

export type Reading = readonly [pattern: RegExp, cause: TargetCause];

export interface PlatformReading {
  /** The page of the platform's documentation that lists its errors. */
  readonly source: string;
  /** Numbers and names of errors, before any words. The first that matches applies. */
  readonly codes: readonly Reading[];
  /** The first that matches applies. */
  readonly words: readonly Reading[];
}

/** Numbers where a text gives a code: `(#190)`, `code 190`, `error_subcode: 463`, `"code":10003`, `(187)`. */
export function codes(numbers: string): RegExp {
  const number = `-?(?:${numbers})\\b`;
  const label = `(?:#|(?<!status[ _]?)code['"]?[ :=#]+['"]?|error['"]?[ :=#]+['"]?)`;
  const isAmount = `(?![.,]?\\d|\\s*(?:characters|px|mb|seconds|s)\\b)`;
  return new RegExp(`${label}${number}${isAmount}|[([]${number}[)\\]]`, 'i');
}
