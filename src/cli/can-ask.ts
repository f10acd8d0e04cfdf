// Whether a question can be put to somebody.

import type { World } from '../world.ts';
import type { Settings } from './settings.ts';

/** A terminal on both sides, and nobody forbade it. */
export function canAsk({ noInput }: Pick<Settings, 'noInput'>, { stdin, stderr }: World): boolean {
  return !noInput && stdin.isTTY && stderr.isTTY;
}
