// `commands`: the whole command line, as a list for people and as data for programs.

import { localCommand } from '../cli/local-command.ts';
import { printRows } from '../output/write-result.ts';

export const add = localCommand({
  details:
    '--json prints the commands as data: flags, values, bounds, examples, requests, exit codes.',
  example: 'social commands --json',
  config: 'none',
  async run(call, { tree }) {
    const whole = await tree();
    const commands = whole.commands.filter(({ group }) => !group);
    await printRows(call, ['path', 'summary'], commands, whole);
  },
});
