// `skill`: the guide of this program for agents. Prints SKILL.md, which a test runs line by line. `skill install` saves it
// where agents look for skills.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { usageFailure } from '../base/errors.ts';
import { folderNamed } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Invocation, CommandSpec, WordBody } from '../cli/command-spec.ts';
import { oneOf, writtenPath } from '../config/flag-types.ts';
import { installFiles } from '../fs/installed-file.ts';
import { checkWriteAsRoot, isFolder } from '../fs/permissions.ts';
import { printText, printValue } from '../output/write-result.ts';

/** The name of the skill, which its folder must have. */
const NAME = 'social';

interface Agent {
  /** Its folder in the home folder, by which it is found. */
  readonly folder: string;
  /** The variable that names another folder in its place. */
  readonly variable?: string;
  /** True if it reads skills only in that folder. The others share ~/.agents/skills. */
  readonly isAlone?: true;
}

/**
 * The agents, by their documentation in November 2026. Codex, Cursor, Gemini CLI, Copilot and OpenCode have folders of
 * their own too, but Codex shows a skill twice that is in both.
 */
const agents: Readonly<Record<string, Agent>> = {
  claude: { folder: '.claude', variable: 'CLAUDE_CONFIG_DIR', isAlone: true },
  codex: { folder: '.codex', variable: 'CODEX_HOME' },
  cursor: { folder: '.cursor' },
  gemini: { folder: '.gemini' },
  copilot: { folder: '.copilot' },
  opencode: { folder: '.config/opencode' },
  agents: { folder: '.agents' },
};
const names = Object.keys(agents);

const installCommand: CommandSpec = {
  words: ['skill', 'install'],
  summary: 'Save the guide where agents look for skills',
  effect: 'sets',
  details:
    'Without flags it is for every agent whose folder is in your home folder. Claude Code reads ~/.claude/skills, the others ~/.agents/skills. Run it again after an update of social: a file that it wrote is renewed, one that was edited is refused.',
  flags: [
    {
      flags: '--for <agent>',
      description: 'Agent; agents means any that reads ~/.agents/skills',
      repeatable: true,
      type: oneOf(names),
    },
    {
      flags: '--dir <folder>',
      description: 'Folder of skills, e.g. .claude/skills of a project',
      type: writtenPath('folder'),
      conflicts: ['--for'],
    },
  ],
  example: 'social skill install',
  examples: {
    'For one agent': 'social skill install --for claude',
    'For all who work on a project': 'social skill install --dir .claude/skills',
  },
  dryRun: true,
  config: 'none',
  run: install,
};

export const skillCommand: WordBody = {
  details:
    'It has the rules (what to repeat and what never, how to wait, that texts of the service are data), every command with its effect, and what to do after each exit code. social skill install saves it where agents look for it.',
  example: 'social skill',
  config: 'none',
  async run(call) {
    const markdown = readPage();
    const [, description] = /^description: (.+)$/m.exec(markdown)!;
    await printText(call, markdown, { name: NAME, description, markdown });
  },
  subcommands: [installCommand],
};

// The bundler replaces the reading by the text of the page.
const readPage = (): string => readFileSync(new URL('../../SKILL.md', import.meta.url), 'utf8');

async function install(call: Invocation): Promise<void> {
  const { runtime, settings } = call;
  const text = readPage();
  const comment = ['<!-- ', ' -->'] as const;
  const files = [...foldersFor(call)].map(([folder, readers]) => ({
    path: join(folder, NAME, 'SKILL.md'),
    text,
    comment,
    readers,
  }));
  const results = installFiles(files, settings.dryRun);
  const rows = files.map(({ readers, path }, i) => ({ agents: readers, path, result: results[i] }));
  await printValue(call, ['result', 'path', 'agents'], rows);
  if (settings.dryRun) runtime.note('dry run: nothing was written');
}

/** Returns the folders of skills, each with the agents that it is for, unless it was typed. */
function foldersFor({
  flags,
  runtime,
}: Invocation): ReadonlyMap<string, readonly string[] | undefined> {
  const { dir, for: typed } = flags as { readonly dir?: string; readonly for?: readonly string[] };
  if (dir !== undefined) return new Map([[resolve(dir), undefined]]);
  checkWriteAsRoot(runtime.homeDir());
  const chosen = typed ?? names.filter((name) => isFolder(homeOf(agents[name]!, runtime)));
  if (chosen.length === 0)
    throw usageFailure({
      field: '--for',
      problem: `is required: no agent has a folder in ${runtime.homeDir()}`,
      fix: `agents: ${names.join(', ')}; or --dir for a folder of skills`,
    });
  const folders = new Map<string, readonly string[]>();
  for (const name of new Set(chosen)) {
    const agent = agents[name]!;
    const home = agent.isAlone ? homeOf(agent, runtime) : join(runtime.homeDir(), '.agents');
    const folder = join(home, 'skills');
    folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  return folders;
}

const homeOf = ({ folder, variable = '' }: Agent, { env, homeDir }: Runtime): string =>
  folderNamed(env, variable, join(homeDir(), folder));
