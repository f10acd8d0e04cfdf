// The mode for screen readers and simple terminals says that it is on, before anything else is said.

import type { World } from '../world.ts';
import type { Settings } from './settings.ts';

/** Writes the line on stderr where the mode is on. */
export async function announce({ accessible, quiet }: Settings, { stderr }: World): Promise<void> {
  if (accessible && !quiet)
    await stderr.write(
      'accessible mode is on: plain lines, numbered questions, nothing is redrawn\n',
    );
}
