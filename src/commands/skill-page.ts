// The text of SKILL.md; the bundler inlines it.

import { readFileSync } from 'node:fs';

export const skillPage = (): string =>
  readFileSync(new URL('../../SKILL.md', import.meta.url), 'utf8');
