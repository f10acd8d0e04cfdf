// Whether the ids of a call are kept for completion: at a terminal, where somebody may press TAB, unless nothing of what
// is done is to be remembered. Loads what keeps them only then.

import type { Calling } from '../calling.ts';
import { isOff } from '../history/off.ts';
import { originOf } from '../service.ts';

/** Keeps the ids of a call whose result was shown. */
export async function noted(
  { service, world }: Calling,
  path: string,
  input: Readonly<Record<string, unknown>>,
  data: unknown,
): Promise<void> {
  if (!world.stdout.isTTY || isOff(world)) return;
  const { remember } = await import('./remember.ts');
  await remember(originOf(service), path, input, data, world);
}
