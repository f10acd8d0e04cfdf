// Every word of the program, and where its commands and their hooks are; a word is loaded when it is typed.

import { type Area, type AreaName, areas, operationsOf } from '../api/operations/registry.ts';
import type { CommandSpec, Words } from '../cli/command-spec.ts';
import { MORE } from '../cli/help.ts';
import type { Extras } from '../cli/specs-of-operation.ts';

const SETUP = 'Setup and tools:';

/** The words in the order of the help. */
export const words: Words = {
  ...serviceWords(),
  auth: {
    summary: 'Log in, log out, show the token in use',
    group: SETUP,
    load: async () => (await import('./auth/auth.ts')).authCommands,
  },
  context: {
    summary: 'Manage services by name, with their defaults',
    group: SETUP,
    load: async () => (await import('./context/context.ts')).contextCommands,
  },
  config: {
    summary: 'Manage defaults that apply in every context',
    group: SETUP,
    load: async () => (await import('./config.ts')).configCommands,
  },
  sandbox: {
    summary: 'Run the embedded service for practice and tests',
    group: SETUP,
    load: async () => (await import('./sandbox/sandbox.ts')).sandboxCommands,
  },
  history: {
    summary: 'Show changes made from this machine',
    group: SETUP,
    load: async () => (await import('./history/history.ts')).historyCommands,
  },
  doctor: {
    summary: 'Check your setup and suggest fixes',
    group: SETUP,
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  api: {
    summary: 'Send a request to any path of the service',
    group: MORE,
    load: async () => (await import('./api/api.ts')).apiCommand,
  },
  mcp: {
    summary: 'Serve the operations as tools for an agent',
    group: MORE,
    load: async () => (await import('./mcp/mcp.ts')).mcpCommands,
  },
  schema: {
    summary: 'Show the input and result of a command as JSON Schema',
    group: MORE,
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  commands: {
    summary: 'List every command',
    group: MORE,
    load: async () => (await import('./commands.ts')).commandsCommand,
  },
  skill: {
    summary: 'Print a guide for agents, as Markdown',
    group: MORE,
    load: async () => (await import('./skill.ts')).skillCommand,
  },
  completion: {
    summary: 'Print the completion script of a shell',
    group: MORE,
    load: async () => (await import('./completion/completion.ts')).completionCommand,
  },
  help: {
    summary: 'Show help for a command or a topic',
    group: MORE,
    load: async () => (await import('./help.ts')).helpCommand,
  },
};

/** Makes a word of each area of the API. */
function serviceWords(): Words {
  const names = Object.keys(areas) as AreaName[];
  return Object.fromEntries(
    names.map((name) => {
      const { summary, groups }: Area = areas[name];
      return [name, { summary, groups, group: 'Service:', load: async () => commandsOf(name) }];
    }),
  );
}

async function commandsOf(area: AreaName): Promise<readonly CommandSpec[]> {
  const [operations, { specsOf }, { commands = [], extras = {} } = {}] = await Promise.all([
    operationsOf(area),
    import('../cli/specs-of-operation.ts'),
    areaModules[area]?.(),
  ]);
  const specs = operations.flatMap(({ operation }) =>
    specsOf({ operation, ...extras[operation.command] }),
  );
  return [...specs, ...commands];
}

interface AreaModule {
  /** Commands that are not operations of the API. */
  readonly commands?: readonly CommandSpec[];
  readonly extras?: Extras;
}

/** The areas that have more than their operations. */
const areaModules: Partial<Readonly<Record<AreaName, () => Promise<AreaModule>>>> = {
  connect: async () => import('./connect.ts'),
  posts: async () => import('./posts/posts.ts'),
  webhooks: async () => import('./webhooks/webhooks.ts'),
};
