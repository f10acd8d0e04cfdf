// Generates the manual pages from the command tree: `social(1)`, and one for each word that can follow it. A test keeps
// man/ up to date.

import type {
  ArgumentNode,
  CommandNode,
  FlagNode,
  CommandTree,
} from '../../src/cli/read-command-tree.ts';
import { deprecationClause } from '../../src/base/deprecation.ts';
import { valuesToList } from '../../src/cli/commander-options.ts';
import { byGroup } from './flags.ts';
import { wrapCommand } from '../../src/output/wrap.ts';

/** Escapes of roff: each character is shown as itself in any encoding, and can be copied into a shell. */
const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Plain text. A line that starts with a full stop would be a request: an empty escape goes before it. */
export function text(plain: string): string {
  const safe = plain.replace(
    /[\\\-'"`^~]|[^\0-\x7f]/gu,
    (character) => SPECIAL[character] ?? `\\[u${hex(character)}]`,
  );
  return safe.replace(/^\./gm, '\\&.');
}

const hex = (character: string): string =>
  character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');

export const bold = (plain: string): string => `\\fB${text(plain)}\\fR`;
export const italic = (plain: string): string => `\\fI${text(plain)}\\fR`;

/** A heading of the first level, which manual pages write in capitals. */
export const section = (title: string): string => `.SH ${text(title.toUpperCase())}`;
export const subsection = (title: string): string => `.SS ${text(title)}`;

export const paragraph = (content: string): readonly string[] => ['.PP', content];

/** A term with its description, indented below it. */
export const item = (term: string, content: string): readonly string[] =>
  content === '' ? ['.TP', term, '\\&'] : ['.TP', term, content];

/** Indented lines that are not filled. */
export const literal = (lines: readonly string[]): readonly string[] => [
  '.PP',
  '.RS 4',
  '.nf',
  ...lines.map((line) => (line === '' ? '\\&' : text(line))),
  '.fi',
  '.RE',
];

/** The name and the text of each file under man/. */
export function manual(tree: CommandTree): readonly (readonly [file: string, page: string])[] {
  const top = tree.commands.filter(({ path }) => !path.includes(' '));
  return [
    [`${tree.name}.1`, whole(tree, top)],
    ...top.map((word) => [`${tree.name}-${word.path}.1`, wordPage(tree, word)] as const),
  ];
}

type Lines = readonly string[];

/** The width of an example within its margins, on a terminal of 80 columns. */
const EXAMPLE_WIDTH = 67;
/** A slash at which a line may break, without a hyphen: a request path may be wider than a narrow terminal. */
const BREAKABLE_SLASH = '/\\:';

/** The longest line of a page's source; other tools than groff may cut a longer one. */
const MAX_LINE = 80;

/** A long line in several: a backslash at the end joins it with the next one, so that what is shown stays the same. */
export function broken(line: string): string {
  if (line.length <= MAX_LINE || line.startsWith('.')) return line;
  const at = line.lastIndexOf(' ', MAX_LINE - 2);
  if (at < 1) return line;
  return `${line.slice(0, at + 1)}\\\n${broken(line.slice(at + 1))}`;
}

const page = (lines: Lines): string => `${lines.join('\n').split('\n').map(broken).join('\n')}\n`;

/** When the pages were last read through; not the day of a build, so that the same program makes the same page. */
const DATE = '2026-11-22';

/** No hyphenation or justification, so that text can be copied. */
const head = ({ name, version }: CommandTree, title: string): Lines => [
  `.TH ${text(title.toUpperCase())} 1 ${DATE} "${text(`${name} ${version}`)}" "${text(name)}"`,
  '.nh',
  '.ad l',
];

const named = (title: string, summary: string): Lines => [
  section('name'),
  `${text(title)} \\- ${text(summary)}`,
];

function whole(tree: CommandTree, top: readonly CommandNode[]): string {
  const { name, summary, globalFlags, flags, environment, exitCodes } = tree;
  return page([
    ...head(tree, name),
    ...named(name, summary),
    section('synopsis'),
    `${bold(name)} ${italic('command')} [${italic('flags')}]`,
    section('commands'),
    ...top.flatMap((each) => item(`${bold(`${name}-${each.path}`)}(1)`, text(each.summary))),
    section('flags'),
    text('Every command accepts these flags, before or after its name.'),
    ...byGroup([...globalFlags, ...flags]).flatMap(([title, group]) => [
      subsection(title || 'Other'),
      ...group.flatMap(flagItem),
    ]),
    section('environment'),
    text('Flags take precedence over variables.'),
    ...environment.flatMap((each) => item(bold(each.name), text(each.description))),
    section('exit status'),
    ...exitCodes.flatMap(({ code, meaning }) => item(bold(String(code)), text(meaning))),
    section('files'),
    ...item(
      italic('~/.config/social/config.json'),
      text('Contexts and settings; see XDG_CONFIG_HOME and SOCIAL_CONFIG_DIR.'),
    ),
    ...item(
      italic('~/.config/social/credentials.json'),
      text('Tokens that no keychain took, for this user alone.'),
    ),
    ...item(
      italic('~/.local/state/social/'),
      text(
        'The sandbox, the record of changes, the journals of batches; see XDG_STATE_HOME and SOCIAL_STATE_DIR.',
      ),
    ),
    section('examples'),
    ...literal([
      '# With nothing configured, on the embedded service',
      'social -C sandbox posts get PostSpringLaunch',
    ]).slice(1),
    section('see also'),
    ...seeAlso(top.map(({ path }) => `${name}-${path}`)),
  ]);
}

function wordPage(tree: CommandTree, word: CommandNode): string {
  const { name } = tree;
  const title = `${name}-${word.path}`;
  const commands = tree.commands.filter(
    ({ path, group }) => !group && (path === word.path || path.startsWith(`${word.path} `)),
  );
  const batch = commands.flatMap(({ flags }) => flags.filter(isBatch));
  const shared = batch.filter((flag, i) => batch.findIndex(({ long }) => long === flag.long) === i);
  return page([
    ...head(tree, title),
    ...named(title, word.summary),
    section('synopsis'),
    ...commands.flatMap(({ usage }, i) => [...(i === 0 ? [] : ['.br']), text(usage)]),
    section('commands'),
    ...commands.flatMap((command) => commandPart(tree, command)),
    ...(shared.length === 0
      ? []
      : [
          section('batches'),
          text(
            'Every command here that sends something takes a list of records as well; see social help batch.',
          ),
          ...shared.flatMap(flagItem),
        ]),
    section('exit status'),
    `${text('As in')} ${bold(name)}(1).`,
    section('see also'),
    ...seeAlso([name]),
  ]);
}

function commandPart({ name }: CommandTree, command: CommandNode): Lines {
  const { path, aliases, description, operation, changes, examples, assumes, flags, deprecated } =
    command;
  const [first = '', ...more] = description.split('\n\n');
  const own = flags.filter((flag) => !isBatch(flag));
  const lines = examples.flatMap(({ purpose, line }) => [
    `# ${purpose}`,
    ...wrapCommand(line, EXAMPLE_WIDTH, '').split('\n'),
  ]);
  return [
    subsection(`${name} ${path}`),
    text(`${first}.`),
    ...(deprecated === undefined
      ? []
      : paragraph(text(`This command is ${deprecationClause(deprecated)}.`))),
    ...more.flatMap((each) => paragraph(text(each))),
    ...(aliases.length === 0 ? [] : paragraph(text(`Also spelt ${aliases.join(', ')}.`))),
    ...(operation === undefined
      ? []
      : paragraph(
          text(
            `Sends ${operation.method} ${operation.path}${changes ? '' : '; changes nothing'}.`,
          ).replaceAll('/', BREAKABLE_SLASH),
        )),
    ...command.arguments.flatMap(argumentItem),
    ...own.flatMap(flagItem),
    ...assumes.flatMap((each) => paragraph(text(`Assumed: ${each}.`))),
    ...(lines.length === 0 ? [] : literal(lines)),
  ];
}

const isBatch = ({ group }: FlagNode): boolean => group === 'Batch';

function argumentItem({ name, repeatable, ...rest }: ArgumentNode): Lines {
  return item(`${italic(`<${name}>`)}${repeatable ? '...' : ''}`, describeValue(rest));
}

function flagItem({ long, short, placeholder, ...rest }: FlagNode): Lines {
  const names = [...(short === undefined ? [] : [short]), long].map(bold).join(', ');
  const value = placeholder === undefined ? '' : ` ${italic(`<${placeholder}>`)}`;
  return item(`${names}${value}`, describeValue(rest));
}

function describeValue(
  value: Pick<ArgumentNode, 'description' | 'required' | 'values'> &
    Partial<Pick<FlagNode, 'deprecated'>>,
): string {
  const values = valuesToList(value);
  const parts = [
    ...(value.description === '' ? [] : [value.description]),
    ...(value.required ? ['required'] : []),
    ...(values.length === 0 ? [] : [`one of ${values.join(', ')}`]),
    ...(value.deprecated === undefined ? [] : [deprecationClause(value.deprecated)]),
  ];
  return text(parts.join('; '));
}

function seeAlso(pages: readonly string[]): Lines {
  return [pages.map((each) => `${bold(each)}(1)`).join(',\n')];
}
