// The dotted paths of a value that came without a schema, lists looked through: what `--fields` may name.

const MOST_PATHS = 2000;
const DEEPEST = 8;
const MOST_ITEMS = 100;

/** `status`, `targets`, `targets.id`, … A large value is looked at in part. */
export function pathsIn(value: unknown): ReadonlySet<string> {
  const paths = new Set<string>();
  const look = (at: unknown, before: string, depth: number): void => {
    if (typeof at !== 'object' || at === null || depth > DEEPEST) return;
    if (Array.isArray(at)) {
      for (const item of at.slice(0, MOST_ITEMS)) look(item, before, depth);
      return;
    }
    for (const [key, inner] of Object.entries(at)) {
      if (paths.size >= MOST_PATHS) return;
      paths.add(before + key);
      look(inner, `${before}${key}.`, depth + 1);
    }
  };
  look(value, '', 1);
  return paths;
}
