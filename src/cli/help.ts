// The help of every command: commander's layout, fitted to the width, with examples and topics.

import { type Command, Help } from 'commander';
import type { Examples } from '../api/operations/define-operation.ts';
import type { OutputStream } from '../base/runtime.ts';
import { longName } from '../config/flags.ts';
import { makeColors } from '../output/color.ts';
import { GLUE, wrapText } from '../output/wrap.ts';
import {
  type CommandSpec,
  descriptionOf,
  examplesOf,
  pathOf,
  argumentsOf,
  valuesOf,
  valuesToList,
  type Words,
} from './command-spec.ts';

/** The minimum width of a description beside its term; with less it stands below the term, after this margin. */
const MIN_DESCRIPTION_WIDTH = 28;
const BELOW = ' '.repeat(8);

/** The group of commands that the help of the program lists only by name. */
export const MORE = 'More:';
/** The group of flags that a help topic describes. */
export const BATCH = 'Batch';

/** Makes a heading of the help; without colour commander removes its escape sequences. */
const title = (text: string): string => makeColors(true).strong(text);

/** Aligns long flags in one column, with or without a short flag before them. */
export const aligned = (flags: string): string => (flags.startsWith('--') ? `    ${flags}` : flags);

/** The width of help pages: longer lines are harder to read. */
export const helpWidth = ({ columns = 80 }: { readonly columns?: number | undefined }): number =>
  Math.min(columns, 80);

/** Commander's layout of a term and its description, which stands below the term on a narrow terminal. */
const itemLayout = (width: number) => ({
  minWidthToWrap: MIN_DESCRIPTION_WIDTH,
  formatItem(this: Help, term: string, termWidth: number, description: string, helper: Help) {
    // Commander puts two spaces before a term and two after it.
    if (description === '' || width - termWidth - 4 >= MIN_DESCRIPTION_WIDTH)
      return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
    return `  ${term}\n${wrapText(description, width, BELOW)}`;
  },
});

/** Sets up the help of the program; all commands below inherit it. */
export function configureHelp(program: Command, words: Words, width: number): void {
  program.configureHelp({
    ...itemLayout(width),
    styleTitle: title,
    commandUsage: (command) => usageLines(command.usage(), width),
    subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
    // A group has no flags of its own; those of every command are in `help flags`.
    visibleOptions: () => [],
    visibleCommands: ({ commands }) => commands.filter((command) => command.helpGroup() !== MORE),
  });
  const more = Object.keys(words).filter((name) => words[name]!.group === MORE);
  program.addHelpText('after', () =>
    linesBelow(width, [
      `${MORE} ${more.join(', ')}`,
      'Try it: social -C sandbox posts get PostSpringLaunch',
      'Topics: social help flags, batch, environment, exit-codes, output',
    ]),
  );
}

/** The rows that a help page may have: those of the terminal, without the row of the prompt; any number in a pipe. */
export const helpRows = ({ isTTY, rows = 24 }: Pick<OutputStream, 'isTTY' | 'rows'>): number =>
  isTTY ? rows - 1 : Infinity;

/** The size of help pages. */
export interface HelpSize {
  readonly width: number;
  readonly rows: number;
}

/**
 * Gives a command its help: arguments and examples before the flags, and one line for the flags that many commands
 * share. If the help does not fit the rows, but would without blank lines and without the purposes above its examples,
 * it has as few of them as it must. A page that is longer still scrolls anyway, and keeps them all.
 */
export function setHelp(command: Command, spec: CommandSpec, { width, rows }: HelpSize): void {
  const formatHelp = ({ commands }: Command, helper: Help) => {
    const below = commands.map((one): Row => [one.name(), one.summary()]);
    const [usage = '', ...parts] = partsOf(spec, below, helper, width);
    const airy = [usage, ...parts].join('\n\n');
    const dense = parts.join('\n').replaceAll('\n\n', '\n').replace(PURPOSE, '');
    const pages = [airy, airy.replace(PURPOSE, ''), `${usage}\n\n${dense}`, `${usage}\n${dense}`];
    return `${pages.find((page) => rowsOf(page) <= rows) ?? airy}\n`;
  };
  command.configureHelp({ ...command.configureHelp(), formatHelp });
}

const rowsOf = (page: string): number => page.split('\n').length;

/** A line with the purpose of the example below it. */
const PURPOSE = /^ +# .*\n/gm;

type Row = readonly [term: string, text: string];

/** Returns the parts between which the help has blank lines. The first is the usage, with the arguments. */
function partsOf(spec: CommandSpec, below: readonly Row[], helper: Help, width: number) {
  const rows = (items: readonly Row[]) => {
    const longest = Math.max(...items.map(([term]) => term.length));
    return items.map(([term, text]) => helper.formatItem(term, longest, text, helper));
  };
  const { operands = [], flags = [] } = spec;
  const usage = usageLines(`social ${pathOf(spec)} ${argumentsOf(spec)}`, width);
  const operandRows = operands.map(({ name, description, values }): Row => [
    name,
    described(description, values),
  ]);
  const flagRows = flags
    .filter(({ group }) => group !== BATCH)
    .map((flag): Row => {
      const dots = flag.repeatable === true ? '...' : '';
      return [`${aligned(flag.flags)}${dots}`, described(flag.description, valuesOf(flag))];
    });
  const lines = descriptionOf(spec).split('\n');
  const examples = exampleLines(examplesOf(spec), width);
  return [
    [`${title('Usage:')} ${usage}`, ...rows(operandRows)].join('\n'),
    lines.map((line) => wrapText(line, width)).join('\n'),
    ...(below.length === 0 ? [] : [[title('Commands:'), ...rows(below)].join('\n')]),
    ...(examples.length === 0 ? [] : [[title('Examples:'), ...examples].join('\n')]),
    ...(flagRows.length === 0 ? [] : [[title('Flags:'), ...rows(flagRows)].join('\n')]),
    linesBelow(width, [...fieldLine(spec, width), ...topicsOf(spec)]),
  ];
}

/** The maximum number of values that help lists. For longer lists the description names a command. */
const MAX_VALUES = 9;

/** Completes the description with the values that it does not name. */
function described(description: string, values: readonly string[] | undefined): string {
  const listed = valuesToList({ description, values });
  const isListed = listed.length > 0 && listed.length <= MAX_VALUES;
  return isListed ? `${description} (${listed.join(', ')})` : description;
}

/** Names the topics of the flags that the help of a command omits. */
function topicsOf({ flags = [] }: CommandSpec): readonly string[] {
  const batch = flags.filter(({ group }) => group === BATCH).map((flag) => longName(flag.flags));
  const named = ['--from', '--journal', '--rate'].filter((flag) => batch.includes(flag));
  return [
    ...(batch.length > 0 ? [`Batch flags (${named.join(', ')} …): social help batch`] : []),
    'Global flags (--json, --dry-run, --context …): social help flags',
  ];
}

/** Lists the shown fields for --fields, as many as fit in a row, and the command that lists all. */
function fieldLine(spec: CommandSpec, width: number): readonly string[] {
  if (spec.operation === undefined) return [];
  const fields = spec.operation.shownPaths;
  const line = (count: number) => {
    const rest = count < fields.length ? `, … (all: social schema ${pathOf(spec)})` : '';
    return `Fields (--fields): ${fields.slice(0, count).join(', ')}${rest}`;
  };
  let count = fields.length;
  while (count > 1 && line(count).length > width) count--;
  return [line(count)];
}

const linesBelow = (width: number, lines: readonly string[]): string =>
  lines.map((line) => wrapText(line, width)).join('\n');

/** Wraps the usage line between flags, with room for its title `Usage:`; a flag stays with its value. */
function usageLines(usage: string, width: number): string {
  const glued = `Usage: ${usage}`.replace(/(-\S+) </g, `$1${GLUE}<`);
  const lines = wrapText(glued, width - 2)
    .replaceAll('\n', '\n  ')
    .replaceAll(GLUE, ' ');
  return lines.slice('Usage: '.length);
}

const MARGIN = '  ';
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;

/** Formats examples, each before its purpose, or below it if the line is too long. */
const exampleLines = (examples: Examples, width: number): readonly string[] =>
  Object.entries(examples).flatMap(([purpose, line]) => {
    const row = `${MARGIN}${line}  # ${purpose}`;
    if (row.length <= width) return [row];
    const above = wrapText(purpose, width, `${MARGIN}# `);
    return [above, wrapCommand(line, width)];
  });

/**
 * Wraps a command line for copying, each line after a margin. Lines end with a backslash, and never break inside a
 * word, a quoted text, or between a flag and its value; these may exceed a narrow terminal.
 */
export function wrapCommand(line: string, width: number): string {
  if (MARGIN.length + line.length <= width) return MARGIN + line;
  const words = line.match(WORD) ?? [];
  // Every line but the last ends with a backslash; every line but the first has a second margin.
  const room = width - MARGIN.length * 2;
  const glued = words.reduce((text, word, i) => {
    const isValue = words[i - 1]?.startsWith('-') === true && /^[^-|>&]/.test(word);
    return text + (i === 0 ? '' : isValue ? GLUE : ' ') + word.replaceAll(' ', GLUE);
  }, '');
  return wrapText(glued, room, MARGIN).replaceAll('\n', ` \\\n${MARGIN}`).replaceAll(GLUE, ' ');
}

/** A part of a help topic: a paragraph, or a term with its explanation. An indented paragraph is not wrapped. */
export type TopicPart = string | Row;

/** A heading of a help topic, such as `Target:`. */
const HEADING = /^\w+:$/;

/**
 * Lays out a help topic, whose first line is its title. All its terms have one column; a blank line stands above and
 * below each paragraph, and above each heading.
 */
export function topicPage(lines: readonly TopicPart[], width: number): string {
  const helper = Object.assign(new Help(), { helpWidth: width, ...itemLayout(width) });
  const termWidth = Math.max(
    ...lines.map((line) => (typeof line === 'string' ? 0 : line[0].length)),
  );
  const texts = lines.map((line, i) => {
    if (typeof line !== 'string') {
      const above = lines[i - 1];
      const gap = typeof above === 'string' && !HEADING.test(above) ? '\n' : '';
      return gap + helper.formatItem(line[0], termWidth, line[1], helper);
    }
    if (i === 0) return title(line);
    if (HEADING.test(line)) return `\n${title(line)}`;
    return `\n${line.startsWith(' ') ? line : wrapText(line, width)}`;
  });
  return `${texts.join('\n')}\n`;
}
