// The random ids of calls, in what the program prints.

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** The text with a word in place of each id. */
export const withoutIds = (text: string): string => text.replaceAll(UUID, 'REQUEST-ID');
