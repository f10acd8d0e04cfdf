// `posts wait`: stays until the targets of a post have settled. Sends nothing but reads.

import type { Command } from 'commander';
import { waitForPost } from '../extras/posts-wait.ts';
import { addVerb, type Surroundings } from '../verb.ts';

export function add(program: Command, around: Surroundings): void {
  addVerb(program, waitForPost, {}, around, 'always');
}
