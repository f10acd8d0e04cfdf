// Keeps the ids of a call for completion, after its result was shown. For who sits at a terminal, and never in anybody's
// way: what cannot be kept is not.

import { appendLines, putAside } from '../../files/append.ts';
import { checkPlace } from '../../files/private.ts';
import { sanitizeLine } from '../../output/sanitize.ts';
import type { World } from '../../world.ts';
import { idsIn } from './ids.ts';
import { MOST_BYTES, seenPath } from './kinds.ts';

const LONGEST_WORD = 40;

/** Keeps the ids of a call to a path of a place. */
export async function remember(
  origin: string,
  path: string,
  input: Readonly<Record<string, unknown>>,
  data: unknown,
  world: World,
): Promise<void> {
  // Read from the end: the first of an answer is to be the first that is offered.
  const found = idsIn(path, input, data).toReversed();
  const lines = found.map(({ kind, id, word }) => `${origin}\t${kind}\t${id}\t${short(word)}\n`);
  if (lines.length === 0) return;
  const file = seenPath(world.stateDir());
  try {
    checkPlace(world.stateDir());
    if (appendLines(file, lines.join('')) > MOST_BYTES) await putAside(file, MOST_BYTES);
  } catch {
    // Completion then offers less.
  }
}

function short(word: string): string {
  const characters = Array.from(sanitizeLine(word));
  return characters.length > LONGEST_WORD
    ? `${characters.slice(0, LONGEST_WORD - 1).join('')}…`
    : characters.join('');
}
