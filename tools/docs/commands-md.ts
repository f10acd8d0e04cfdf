// Generates docs/commands.md from the command tree. A test keeps the page up to date.

import type {
  ArgumentNode,
  CommandNode,
  FlagNode,
  CommandTree,
} from '../../src/cli/command-tree.ts';
import { valuesToList } from '../../src/cli/command-spec.ts';

export function reference(tree: CommandTree): string {
  const commands = tree.commands.filter(({ group }) => !group);
  const areas = tree.commands.filter(({ path, group }) => group && !path.includes(' '));
  const isInArea = (command: string) => areas.some(({ path }) => command.startsWith(`${path} `));
  const others = commands.filter(({ path }) => !isInArea(path));
  const within = (area: string) => commands.filter(({ path }) => path.startsWith(`${area} `));
  const parts = [
    '# The commands of `social`',
    'Generated from the program: `social <command> --help` shows the same in a terminal, and `social commands --json` prints it as data.',
    ...areas.flatMap(({ path, summary }) => [
      `**${path}** – ${escape(summary)}`,
      within(path).map(entry).join('\n'),
    ]),
    '**Other commands**',
    others.map(entry).join('\n'),
    '[Global flags](#global-flags) · [Environment](#environment) · [Exit codes](#exit-codes)',
    ...areas.flatMap(({ path }) => [`## ${path}`, ...within(path).flatMap(section)]),
    '## Other commands',
    ...others.flatMap(section),
    '## Global flags',
    'These flags may stand before or after the name of any command. One that a command cannot follow is refused.',
    ...byGroup(tree.globalFlags).map(([title, flags]) =>
      table([title || 'Other', ''], flags.map(flagRow)),
    ),
    `\`social --version\` (\`-V\`) shows the version.`,
    '## Environment',
    'A flag takes precedence over its variable.',
    table(
      ['Variable', ''],
      tree.environment.map(({ name, description }) => [code(name), escape(description)]),
    ),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      tree.exitCodes.map((each) => [String(each.code), escape(each.meaning)]),
    ),
    'The effect of a command is `reads`, `sets` (a repeat changes nothing more), `once` (a repeat does it again) or `takes away`.',
  ];
  return `${parts.join('\n\n')}\n`;
}

const anchor = (path: string): string => `#social-${path.replaceAll(' ', '-')}`;

const entry = ({ path, summary }: CommandNode): string =>
  `- [${path}](${anchor(path)}) – ${escape(summary)}`;

function section(command: CommandNode): readonly string[] {
  const { path, aliases, description, usage, operation, changes, examples, effect } = command;
  const lines = examples.flatMap(({ purpose, line }) => [`# ${purpose}`, line]);
  return [
    `### social ${path}`,
    ...description.split('\n\n').map(escape),
    fence('', [usage]),
    ...(aliases.length === 0 ? [] : [`Also spelt ${aliases.map(code).join(', ')}.`]),
    ...(operation === undefined
      ? []
      : [
          `Sends ${code(`${operation.method} ${operation.path}`)}${changes ? '' : '; changes nothing'}.`,
        ]),
    `Effect: ${effect}.`,
    ...(command.arguments.length === 0
      ? []
      : [table(['Argument', ''], command.arguments.map(argumentRow))]),
    ...(command.flags.length === 0 ? [] : [table(['Flag', ''], command.flags.map(flagRow))]),
    ...(lines.length === 0 ? [] : [fence('sh', lines)]),
  ];
}

function argumentRow({ name, repeatable, ...rest }: ArgumentNode): readonly string[] {
  return [code(`<${name}>${repeatable ? '...' : ''}`), describeValue(rest)];
}

function flagRow({ long, short, placeholder, ...rest }: FlagNode): readonly string[] {
  const names = [...(short === undefined ? [] : [short]), long].join(', ');
  return [
    code(placeholder === undefined ? names : `${names} <${placeholder}>`),
    describeValue(rest),
  ];
}

type ValueNode = Pick<ArgumentNode, 'description' | 'required' | 'values'>;

/** The description of a value, and its form. */
function describeValue(value: ValueNode): string {
  const { description, required } = value;
  const values = valuesToList(value);
  return [
    ...(description === '' ? [] : [escape(description)]),
    ...(required ? ['**required**'] : []),
    ...(values.length === 0 ? [] : [`one of ${values.map(code).join(', ')}`]),
  ].join('; ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(row).join('\n');
}

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;

const fence = (language: string, lines: readonly string[]): string =>
  ['```' + language, ...lines, '```'].join('\n');

const code = (text: string): string => `\`${text}\``;

/** Escapes the characters that Markdown would read as markup. Code spans stay as they are. */
const escape = (text: string): string =>
  text.replace(/`[^`]*`|[<>*]/g, (found) => (found.length === 1 ? `\\${found}` : found));

/** The flags below the title of their group, in order. */
function byGroup(flags: readonly FlagNode[]): readonly (readonly [string, readonly FlagNode[]])[] {
  const titles = [...new Set(flags.map(({ group }) => group))];
  return titles.map((title) => [title, flags.filter(({ group }) => group === title)]);
}
