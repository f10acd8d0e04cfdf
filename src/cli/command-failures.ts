// How each command can end, derived from what it is: the kinds of failure, and their exit codes as data.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { failureKinds, type FailureKind } from '../base/exit-codes.ts';
import type { CommandHooks } from '../client/call-context.ts';

/** Of every command: a wrong line, a file or a stream that fails. */
const ofEveryCommand: readonly FailureKind[] = ['usage', 'local_io'];

/** Of whatever sends a request. */
export const requestFailures: readonly FailureKind[] = [
  'unauthorized',
  'not_found',
  'refused',
  'rate_limited',
  'no_answer',
];

/** Of a change: it may ask, and its answer may be lost. */
export const changeFailures: readonly FailureKind[] = ['declined', 'outcome_unknown'];

/** Of an operation, called once or many times. */
export function failuresOf(operation: Operation, hooks: CommandHooks): readonly FailureKind[] {
  const waits = operation.wait !== undefined;
  return [
    ...requestFailures,
    'batch_failed',
    ...(isChange(operation) ? changeFailures : []),
    ...(waits ? (['still_pending'] as const) : []),
    ...(waits || hooks.judge !== undefined ? (['ended_badly'] as const) : []),
  ];
}

/** The exit codes of a command, in ascending order. A fault of the tool and a signal may end any command. */
export const exitCodesOf = (failures: readonly FailureKind[] = []): readonly number[] =>
  [0, ...[...ofEveryCommand, ...failures].map((kind) => failureKinds[kind].exitCode)].toSorted(
    (a, b) => a - b,
  );
