// Times as the API writes them.

/** Milliseconds since 1970 as a timestamp of the API. */
export const stamp = (ms: number): string => new Date(ms).toISOString();
