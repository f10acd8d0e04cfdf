// The response of a fresh sandbox to one input, for the examples in the OpenAPI document. Opens and stores nothing.

import { type AreaName } from '../api/operations/registry.ts';
import { handlers } from './handlers/all-handlers.ts';
import { apply, type Tables, tablesView } from './store/tables.ts';
import { seed } from './seed/states.ts';
import type { Handler } from './handlers/types.ts';

/** The time of every example, so that the document is always the same. */
const THEN = Date.UTC(2026, 2, 2, 12);

/** The data of the response. Throws an `HttpError` where the sandbox would refuse. */
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
