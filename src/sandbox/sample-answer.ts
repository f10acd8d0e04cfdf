// What a fresh sandbox answers to one input: the example of an answer. Keeps nothing and opens nothing.

import { type AreaName } from '../api/operations/registry.ts';
import { handlers } from './handlers/all-handlers.ts';
import { apply, type Tables, tablesView } from './store/tables.ts';
import { seed } from './seed/states.ts';
import type { Handler } from './handlers/types.ts';

/** The moment at which every example is given: the same document whenever it is made. */
const THEN = Date.UTC(2026, 2, 2, 12);

/** The data of the answer. Throws the sandbox's `Refusal` where it would refuse. */
export function sampleAnswer(
  area: AreaName,
  name: string,
  input: Readonly<Record<string, unknown>>,
): unknown {
  const tables: Tables = new Map();
  apply(tables, seed(THEN));
  const { records } = tablesView(tables, THEN);
  const ofArea = handlers[area] as Readonly<Record<string, unknown>>;
  return (ofArea[name] as Handler<typeof input, unknown>)(input, records);
}
