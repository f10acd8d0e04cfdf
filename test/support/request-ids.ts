// Removes the random IDs of calls from the output of the program.

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Replaces each ID with a word. */
export const withoutIds = (text: string): string => text.replaceAll(UUID, 'REQUEST-ID');
