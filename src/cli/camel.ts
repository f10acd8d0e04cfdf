// Flag names as commander keys their values.

/** `text-file` → `textFile`. */
export function camel(flag: string): string {
  return flag.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}
