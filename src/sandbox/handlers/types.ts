import type { InputOf, ResultOf } from '../../api/operations/define-operation.ts';
import type { AreaName, OperationsOf } from '../../api/operations/registry.ts';
import type { StoredRecords } from '../store/tables.ts';

/**
 * Handles one operation: reads and writes through the records and returns the result, or throws an `HttpError` to
 * refuse.
 */
export type Handler<Input, Result> = (input: Input, records: StoredRecords) => Result;

/** The handlers of one area, by the names of its operations. */
export type HandlersOf<A extends AreaName> = {
  readonly [V in keyof OperationsOf<A>]: Handler<
    InputOf<OperationsOf<A>[V]>,
    ResultOf<OperationsOf<A>[V]>
  >;
};
