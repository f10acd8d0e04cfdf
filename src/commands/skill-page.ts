// The text of SKILL.md; the bundler writes it in.

import { readFileSync } from 'node:fs';

export const skillPage = (): string =>
  readFileSync(new URL('../../SKILL.md', import.meta.url), 'utf8');
