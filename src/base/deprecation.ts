// What is deprecated, as data, and the words in which it is said.

export interface Deprecation {
  /** The first version that warns. */
  readonly since: string;
  /** What to use instead, as it is typed: `--cause`, `social posts retry`. */
  readonly instead: string;
  /** The first version without it. */
  readonly removedIn: string;
}

/** What is said of it in documentation: `deprecated since 0.3.0, removed in 0.5.0: use --cause`. */
export const deprecationClause = ({ since, instead, removedIn }: Deprecation): string =>
  `deprecated since ${since}, removed in ${removedIn}: use ${instead}`;

/** A description with that behind it, where it applies. */
export const withDeprecation = (text: string, deprecated: Deprecation | undefined): string =>
  deprecated === undefined ? text : `${text} (${deprecationClause(deprecated)})`;

/** What is said to those who still use it. `name` is the flag, the command or the variable. */
export const deprecationWarning = (name: string, { instead, removedIn }: Deprecation): string =>
  `warning: ${name} is deprecated and will be removed in ${removedIn}; use ${instead}`;
