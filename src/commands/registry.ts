// The commands that are not operations: each is a file here, loaded when its word is typed.

import type { Command } from 'commander';
import type { CommandContext } from '../cli/command-group.ts';
import { MORE } from '../cli/help.ts';
import type { AddCommand } from '../cli/local-command.ts';

interface LocalWord {
  readonly summary: string;
  /** Where the help of the program lists it; with its summary under `Setup and tools:` if not by name alone. */
  readonly group?: typeof MORE;
  readonly load: () => Promise<{ readonly add: AddCommand }>;
}

const localWords: Readonly<Record<string, LocalWord>> = {
  auth: {
    summary: 'Log in, log out, show the token in use',
    load: () => import('./auth/auth.ts'),
  },
  context: {
    summary: 'Manage services by name, with their defaults',
    load: () => import('./context/context.ts'),
  },
  config: {
    summary: 'Manage defaults that apply in every context',
    load: () => import('./config.ts'),
  },
  sandbox: {
    summary: 'Run the embedded service for practice and tests',
    load: () => import('./sandbox/sandbox.ts'),
  },
  history: {
    summary: 'Show changes made from this machine',
    load: () => import('./history/history.ts'),
  },
  doctor: {
    summary: 'Check your setup and suggest fixes',
    load: () => import('./doctor/doctor.ts'),
  },
  api: {
    summary: 'Send a request to any path of the service',
    group: MORE,
    load: () => import('./api/api.ts'),
  },
  mcp: {
    summary: 'Serve the operations as tools for an agent',
    group: MORE,
    load: () => import('./mcp/mcp.ts'),
  },
  schema: {
    summary: 'Show the input and result of a command as JSON Schema',
    group: MORE,
    load: () => import('./schema.ts'),
  },
  commands: { summary: 'List every command', group: MORE, load: () => import('./commands.ts') },
  skill: {
    summary: 'Print a guide for agents, as Markdown',
    group: MORE,
    load: () => import('./skill.ts'),
  },
  completion: {
    summary: 'Print the completion script of a shell',
    group: MORE,
    load: () => import('./completion/completion.ts'),
  },
  help: {
    summary: 'Show help for a command or a topic',
    group: MORE,
    load: () => import('./help.ts'),
  },
};

/** The commands below `posts` that read lists of posts and are no operations of the API. */
const postCommands = {
  triage: {
    summary: 'Show why posts failed, grouped by cause',
    load: async () => (await import('./posts/triage.ts')).triageCommand,
  },
  wait: {
    summary: 'Wait until all targets of a post are published or failed',
    load: async () => (await import('./posts/wait.ts')).waitCommand,
  },
};

/** Adds the local commands: whole where the line names them, else by name and summary alone. */
export async function addLocalCommands(
  program: Command,
  commandContext: CommandContext,
): Promise<void> {
  const { named } = commandContext;
  for (const [word, each] of Object.entries(localWords)) {
    const { summary, group = 'Setup and tools:', load } = each;
    if (named(word)) (await load()).add(program, commandContext, { word, summary });
    else program.command(word).summary(summary);
    program.commands.find((known) => known.name() === word)!.helpGroup(group);
  }
  if (named('posts')) {
    const { addListCommand } = await import('../cli/operation-command.ts');
    const posts = program.commands.find((command) => command.name() === 'posts')!;
    for (const [word, { summary, load }] of Object.entries(postCommands)) {
      if (!named(word)) posts.command(word).summary(summary);
      else addListCommand(posts, await load(), commandContext);
    }
  }
  if (named('webhooks')) {
    const { addLocalCommand } = await import('../cli/local-command.ts');
    const { webhookCommands } = await import('./webhooks/webhooks.ts');
    const group = program.commands.find((command) => command.name() === 'webhooks')!;
    for (const each of webhookCommands) addLocalCommand(group, each, commandContext);
  }
}
