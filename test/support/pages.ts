// The hand-written pages of the repository, and the generated reference of the commands.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './program.ts';

/** Paths from the root of the repository. */
export const pages: readonly string[] = [
  'README.md',
  'AGENTS.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
