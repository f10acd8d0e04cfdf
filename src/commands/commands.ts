// `commands [command…]`: the whole command line, as a list for people and as data for programs.

import { usageFailure } from '../base/errors.ts';
import { quoteUnlessSecret } from '../base/sanitize.ts';
import { type CommandNode, type FlagNode, readCommandTree } from '../cli/command-tree.ts';
import type { CommandBody } from '../cli/command-spec.ts';
import { printValue } from '../output/write-result.ts';

export const commandsCommand: CommandBody = {
  details:
    '--json prints them as data: each command with its usage, summary, flags and effect (reads; sets: a repeat changes nothing more; once: a repeat does it again; takes away), and once the global flags and the exit codes. The form of a value is in social schema <command>.',
  operands: [
    {
      name: 'command',
      description: 'Command or group, e.g. posts retry',
      optional: true,
      many: true,
    },
  ],
  example: 'social commands --json',
  examples: { 'Show one command': 'social commands posts retry --json' },
  config: 'none',
  async run(call) {
    const tree = await readCommandTree(call.program.words);
    const typed = call.operands.join(' ');
    const commands = tree.commands
      .filter(({ group, path }) => !group && (typed === '' || `${path} `.startsWith(`${typed} `)))
      .map(describe);
    if (commands.length === 0) {
      const among = { typed, choices: tree.commands.map(({ path }) => path) };
      const problem = 'is not a command of social';
      const field = quoteUnlessSecret(typed);
      throw usageFailure({ field, problem, among }, ['social', 'commands']);
    }
    const document = {
      name: tree.name,
      version: tree.version,
      commands,
      globalFlags: tree.globalFlags.map(flagText),
      exitCodes: tree.exitCodes.map(({ code, meaning }) => ({ code, meaning })),
    };
    await printValue(call, ['path', 'summary'], commands, document);
  },
};

const describe = ({ path, aliases, summary, usage, effect, flags }: CommandNode) => ({
  path,
  aliases: aliases.length === 0 ? undefined : aliases,
  summary,
  effect,
  usage,
  flags: flags.map(flagText),
});

/** Formats a flag: `-t, --target <id>...`; with a limited list of words, `--platform <bluesky|mastodon>`. */
function flagText({ long, short, placeholder, values, repeatable }: FlagNode): string {
  const names = short === undefined ? long : `${short}, ${long}`;
  if (placeholder === undefined) return names;
  return `${names} <${values?.join('|') ?? placeholder}>${repeatable ? '...' : ''}`;
}
