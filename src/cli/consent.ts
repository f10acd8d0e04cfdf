// Asks before something is taken away. Nothing is ever answered for the user: without a terminal
// and without a flag that consents, nothing is sent.

import { Failure } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { quote } from '../output/sanitize.ts';
import type { World } from '../world.ts';
import type { Settings } from './settings.ts';

/** Returns when there is consent to run a dangerous operation on these ids; throws otherwise. */
export async function consent(
  operation: Operation,
  ids: readonly string[],
  command: string,
  settings: Settings,
  world: World,
): Promise<void> {
  if (operation.danger === undefined || settings.yes) return;
  if (ids.every((id) => settings.confirm.includes(id))) return;
  const named = ids.length === 1 ? quote(ids[0]!) : `${ids.length} ids`;
  if (!canAsk(settings, world)) {
    throw new Failure('usage', {
      what: `refusing to run ${operation.command} on ${named} without consent`,
      why: [operation.danger, 'give --yes, or --confirm <id> for each id'],
      next: `${command} ${ids.map((id) => `--confirm ${id}`).join(' ')}`,
      sent: false,
      retryable: false,
    });
  }
  const ask = await world.ask();
  const agreed = await ask.confirm(`${operation.danger}\n  Run ${operation.command} on ${named}?`);
  if (!agreed)
    throw new Failure('declined', { what: 'not confirmed; nothing was sent', sent: false });
}

/** Whether a question can be put: a terminal on both sides, and nobody forbade it. */
export function canAsk(settings: Pick<Settings, 'noInput'>, world: World): boolean {
  return !settings.noInput && world.stdin.isTTY && world.stderr.isTTY;
}
