// What holds words on one line.

/** Stands between a sign and its word until a table is laid out, and is a space from then on. */
export const GLUE = '\u00a0';
