// The commands that are not operations: each is a file here, loaded when its word is typed.

import type { Command } from 'commander';
import type { Surroundings } from '../verb.ts';

interface LocalCommand {
  readonly summary: string;
  readonly group: 'Service:' | 'This machine:';
  readonly load: () => Promise<{ add(program: Command, around: Surroundings): void }>;
}

const commands: Readonly<Record<string, LocalCommand>> = {
  sandbox: {
    summary: 'The embedded service, for trying things out',
    group: 'This machine:',
    load: () => import('./sandbox.ts'),
  },
  help: {
    summary: 'Help on a command or a topic',
    group: 'This machine:',
    load: () => import('./help.ts'),
  },
};

/** Adds the local commands: whole where the line names them, else by name alone. */
export async function addLocalCommands(program: Command, around: Surroundings): Promise<void> {
  for (const [word, { summary, group, load }] of Object.entries(commands)) {
    if (around.argv.includes(word)) (await load()).add(program, around);
    else program.command(word).summary(summary);
    program.commands.find((command) => command.name() === word)?.helpGroup(group);
  }
  if (around.argv.includes('webhooks')) (await import('./webhooks-events.ts')).add(program, around);
}
