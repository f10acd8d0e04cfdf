// The things that the sandbox keeps, in memory, and a view of them through which one request reads and writes.
// Writes wait in the view until they are taken: a behaviour that refuses half-way has changed nothing.

import type { Change, Kind, Kinds } from './kinds.ts';

/** What a behaviour sees: the things as they are, and the time of the request. */
export interface Records {
  /** Milliseconds since 1970. */
  readonly now: number;
  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined;
  list<K extends Kind>(kind: K): readonly Kinds[K][];
  count(kind: Kind): number;
  put<K extends Kind>(kind: K, id: string, value: Kinds[K]): void;
  delete(kind: Kind, id: string): void;
}

/** Kind → id → value, the value as JSON gave it. */
export type Tables = Map<string, Map<string, unknown>>;

/** Carries changes out on the tables, in their order. */
export function apply(tables: Tables, changes: readonly Change[]): void {
  for (const [kind, id, value] of changes) {
    const table = tables.get(kind) ?? new Map<string, unknown>();
    tables.set(kind, table);
    if (value === null) table.delete(id);
    else table.set(id, value);
  }
}

/** Every thing in the tables, as the changes that would make them. */
export function everything(tables: Tables): readonly Change[] {
  return [...tables].flatMap(([kind, table]) =>
    [...table].map(([id, value]) => [kind, id, value] as unknown as Change),
  );
}

/** How many things there are, of one kind or of all. */
export function sizeOf(tables: Tables, kind?: Kind): number {
  if (kind !== undefined) return tables.get(kind)?.size ?? 0;
  return [...tables.values()].reduce((sum, table) => sum + table.size, 0);
}

/** A view over the tables; what it would change is in `changes` and nowhere else. */
export function viewOf(
  tables: Tables,
  now: number,
): { records: Records; changes: readonly Change[] } {
  const changes: Change[] = [];
  const table = <K extends Kind>(kind: K): Map<string, Kinds[K]> => {
    const written = changes.filter((change) => change[0] === kind);
    const base = (tables.get(kind) ?? new Map()) as Map<string, Kinds[K]>;
    if (written.length === 0) return base;
    const own: Tables = new Map([[kind, new Map(base)]]);
    apply(own, written);
    return own.get(kind) as Map<string, Kinds[K]>;
  };
  const records: Records = {
    now,
    get: (kind, id) => table(kind).get(id),
    list: (kind) => [...table(kind).values()],
    count: (kind) => table(kind).size,
    put: (kind, id, value) => void changes.push([kind, id, value] as unknown as Change),
    delete: (kind, id) => void changes.push([kind, id, null]),
  };
  return { records, changes };
}
