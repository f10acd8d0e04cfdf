// Asks before something is changed that must not be changed by accident: always before taking away, and before
// every change in a protected context. Nothing is ever answered for the user.

import { Failure } from '../errors.ts';
import { isChange, type Operation } from '../operations/operation.ts';
import { quote } from '../output/sanitize.ts';
import type { World } from '../world.ts';
import { canAsk } from './can-ask.ts';
import type { Settings } from './settings.ts';

/**
 * Returns when there is consent to run an operation on these ids. Throws `usage` where nobody can be asked,
 * `declined` where the answer is no or the typed id is another.
 */
export async function consent(
  operation: Operation,
  ids: readonly string[],
  command: string,
  settings: Settings,
  world: World,
): Promise<void> {
  const guarded = settings.stored?.protected === true;
  const dangerous = operation.danger !== undefined;
  if (!isChange(operation) || !(guarded || dangerous)) return;
  // In a protected context --yes does not answer for what takes something away.
  if (settings.yes && !(guarded && dangerous)) return;
  if (ids.every((id) => settings.confirm.includes(id))) return;
  const named = ids.length === 1 ? quote(ids[0]!) : `${ids.length} ids`;
  const where = guarded ? ` in the protected context ${settings.context!}` : '';
  if (!canAsk(settings, world))
    throw unasked(operation, ids, command, `${named}${where}`, guarded && dangerous);
  const ask = await world.ask(settings.accessible);
  const about = [
    ...(operation.danger === undefined ? [] : [operation.danger]),
    `Run ${operation.command} on ${named}${where}?`,
  ];
  if (guarded && dangerous) return typedIds(ids, about.join(' '), ask);
  if (!(await ask.confirm(about.join(' ')))) throw declined('not confirmed; nothing was sent');
}

async function typedIds(
  ids: readonly string[],
  about: string,
  ask: Awaited<ReturnType<World['ask']>>,
): Promise<void> {
  for (const id of ids) {
    const typed = await ask.text({
      message: `${about} Type ${quote(id)} to go on:`,
      validate: () => undefined,
    });
    if (typed !== id) throw declined('the typed id did not match; nothing was sent');
  }
}

const declined = (what: string) => new Failure('declined', { what, sent: false, retryable: false });

function unasked(
  operation: Operation,
  ids: readonly string[],
  command: string,
  named: string,
  strict: boolean,
): Failure {
  const ways = strict
    ? 'give --confirm <id> for each id; --yes is not enough here'
    : 'give --yes, or --confirm <id> for each id';
  return new Failure('usage', {
    what: `refusing to run ${operation.command} on ${named} without consent`,
    why: [...(operation.danger === undefined ? [] : [operation.danger]), ways],
    next: `${command} ${ids
      .slice(0, 3)
      .map((id) => `${id} --confirm ${id}`)
      .join(' ')}`,
    sent: false,
    retryable: false,
  });
}
