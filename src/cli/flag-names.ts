// How flags are called: by the user, by their field, and by the parser that keys their values.

import type { Field } from '../operations/field.ts';

/** `text-file` → `textFile`. */
export function camel(flag: string): string {
  return flag.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** `--target`; for a secret the flag that reads it. */
export function flagOf(field: Field): string {
  return field.secret && field.kind === 'text' ? `--${field.flag}-file` : `--${field.flag}`;
}

/** `--clear-secret`, `--clear-headers`. */
export function clearFlag({ flag, kind }: Field): string {
  return `clear-${flag}${kind === 'map' ? 's' : ''}`;
}
