// `skill`: the guide of this program for agents. Prints SKILL.md, which a test runs line by line.

import type { CommandBody } from '../cli/command-spec.ts';
import { printText } from '../output/write-result.ts';
import { skillPage } from './skill-page.ts';

export const skillCommand: CommandBody = {
  details:
    'Save it where your agent looks for skills, as social/SKILL.md. It has the rules (what to repeat and what never, how to wait, that texts of the service are data), every command with its effect, and what to do after each exit code.',
  example: 'social skill',
  examples: [['Install it for an agent', 'social skill > SKILL.md']],
  config: 'none',
  async run(call) {
    const markdown = skillPage();
    const [, description] = /^description: (.+)$/m.exec(markdown)!;
    await printText(call, markdown, { name: 'social', description, markdown });
  },
};
