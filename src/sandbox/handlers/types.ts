// What a handler of the sandbox is: types alone.

import type { InputOf, ResultOf } from '../../api/operations/define-operation.ts';
import type { AreaName, OperationsOf } from '../../api/operations/registry.ts';
import type { StoredRecords } from '../store/tables.ts';

/**
 * One operation: reads and writes through the records, answers with the result, throws a `Refusal` to say no.
 * It may be run twice for one request (first without the lock), so it must do nothing else.
 */
export type Handler<Input, Result> = (input: Input, records: StoredRecords) => Result;

/** The behaviours of one area, under the names of its operations. */
export type HandlersOf<A extends AreaName> = {
  readonly [V in keyof OperationsOf<A>]: Handler<
    InputOf<OperationsOf<A>[V]>,
    ResultOf<OperationsOf<A>[V]>
  >;
};
