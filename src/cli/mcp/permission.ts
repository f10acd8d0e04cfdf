// What an agent may do. It reads; it changes something only where the one who started the server said so; and what
// takes something away needs the id once more. Nobody is there to ask, so a protected context says no.

import { Failure, usageFailure } from '../../errors.ts';
import { isChange, type Operation } from '../../operations/operation.ts';
import type { Input } from '../../call/request.ts';
import { again } from '../again.ts';
import type { Settings } from '../settings.ts';
import { CONFIRM, idField } from './tools.ts';

/** What the server was started with. */
export interface Grant {
  readonly writes: boolean;
}

/** Whether a tool is served at all. */
export function isServed(operation: Operation, grant: Grant, settings: Settings): boolean {
  return refusal(operation, grant, settings) === undefined;
}

/** Throws `usage` where the call may not be made: nothing was sent. */
export function checkAllowed(
  operation: Operation,
  grant: Grant,
  settings: Settings,
  given: Input,
): void {
  const no = refusal(operation, grant, settings);
  if (no !== undefined) throw no;
  if (operation.danger === undefined) return;
  const id = idField(operation);
  const confirmed = given[CONFIRM];
  if (typeof confirmed === 'string' && confirmed === given[id]) return;
  const problem =
    confirmed === undefined ? 'is required' : `must be the ${id} once more, and is another text`;
  throw usageFailure([{ field: CONFIRM, problem, fix: `repeat the ${id}; ${operation.danger}` }]);
}

function refusal(operation: Operation, grant: Grant, settings: Settings): Failure | undefined {
  if (!isChange(operation)) return undefined;
  const serve = (more: string) => again(`mcp serve ${more}`, { settings, flags: {} });
  if (!grant.writes)
    return denied(
      'this server only reads',
      'who started it can let it write',
      serve('--allow-writes'),
    );
  if (settings.stored?.protected !== true) return undefined;
  const where = `the context ${settings.context!} is protected`;
  if (operation.danger !== undefined)
    return denied(`${where}: a person must delete or disable there`, 'use the command line');
  if (settings.yes) return undefined;
  return denied(
    `${where}: nothing is changed there unasked`,
    'start with --yes to allow it',
    serve('--allow-writes --yes'),
  );
}

function denied(what: string, hint: string, next?: string): Failure {
  return new Failure('usage', {
    what,
    hint,
    ...(next === undefined ? {} : { next }),
    sent: false,
    retryable: false,
  });
}
