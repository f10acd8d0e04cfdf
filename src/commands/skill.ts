// `skill`: the guide of this program for agents. Prints SKILL.md, which a test runs line by line.

import { readFileSync } from 'node:fs';
import type { CommandBody } from '../cli/command-spec.ts';
import { printText } from '../output/write-result.ts';

export const skillCommand: CommandBody = {
  details:
    'Save it where your agent looks for skills, as social/SKILL.md. It has the rules (what to repeat and what never, how to wait, that texts of the service are data), every command with its effect, and what to do after each exit code.',
  example: 'social skill',
  examples: { 'Install it for an agent': 'social skill > SKILL.md' },
  config: 'none',
  async run(call) {
    // The bundler replaces the reading by the text of the page.
    const markdown = readFileSync(new URL('../../SKILL.md', import.meta.url), 'utf8');
    const [, description] = /^description: (.+)$/m.exec(markdown)!;
    await printText(call, markdown, { name: 'social', description, markdown });
  },
};
