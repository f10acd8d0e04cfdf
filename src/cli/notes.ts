// Lines for a person on stderr, beside the result.

import { sanitizeLine } from '../output/sanitize.ts';
import type { World } from '../world.ts';
import type { Settings } from './settings.ts';

/** Writes notes for a person, one line each; none where they asked for quiet. */
export function notesTo(
  { stderr }: World,
  { quiet }: Pick<Settings, 'quiet'>,
): (line: string) => void {
  return (line) => void (quiet || stderr.write(`${sanitizeLine(line)}\n`));
}
