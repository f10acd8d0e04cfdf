// The help of every command: commander's layout, fitted to the width, with examples and topics.

import { type Command, Help } from 'commander';
import type { Examples } from '../api/operations/define-operation.ts';
import { homepage } from '../base/version.ts';
import { longName } from '../config/flags.ts';
import { GLUE } from '../output/color.ts';
import { wrapText } from '../output/wrap.ts';
import {
  type CommandSpec,
  descriptionOf,
  examplesOf,
  pathOf,
  usageOf,
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

/** Makes a heading of the help; without colour its escape sequences are removed. */
export const title = (text: string): string => `\u001b[1m${text}\u001b[22m`;

/** Aligns long flags in one column, with or without a short flag before them. */
export const aligned = (flags: string): string => (flags.startsWith('--') ? `    ${flags}` : flags);

/** The width of help pages: longer lines are harder to read. */
export const helpWidth = ({ columns = 80 }: { readonly columns?: number | undefined }): number =>
  Math.min(columns, 80);

/** Sets up the help of the program; all commands below inherit it. */
export function configureHelp(program: Command, words: Words, width: number): void {
  program.configureHelp({
    minWidthToWrap: MIN_DESCRIPTION_WIDTH,
    styleTitle: title,
    commandUsage: (command) => usageLines(command.usage(), width),
    subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
    // The flags of the program are in `help flags`.
    visibleOptions(command) {
      return command.parent === null ? [] : Help.prototype.visibleOptions.call(this, command);
    },
    visibleCommands: ({ commands }) => commands.filter((command) => command.helpGroup() !== MORE),
    formatItem(term, termWidth, description, helper) {
      // Commander puts two spaces before a term and two after it.
      if (description === '' || width - termWidth - 4 >= MIN_DESCRIPTION_WIDTH)
        return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
      return `  ${term}\n${wrapText(description, width, BELOW)}`;
    },
  });
  const more = Object.keys(words).filter((name) => words[name]!.group === MORE);
  program.addHelpText('after', () =>
    linesBelow(width, [
      `More: ${more.join(', ')}`,
      'Try it: social -C sandbox posts get PostSpringLaunch',
      'Topics: social help flags, batch, environment, exit-codes, output',
    ]),
  );
}

/** The rows of a terminal that the help of a command should fit, without the row of the prompt. */
const ROWS = 23;

/**
 * Gives a command its help: arguments and examples before the flags, and one line for the flags that many commands
 * share. Blank lines, and the purposes of examples, are omitted if the help would not fit a terminal.
 */
export function setHelp(command: Command, spec: CommandSpec, width: number): void {
  const formatHelp = (_command: Command, helper: Help) => {
    const page = `${partsOf(spec, helper, width, false).join('\n\n')}\n`;
    if (rowsOf(page) <= ROWS) return page;
    const [usage, ...rest] = partsOf(spec, helper, width, true);
    const text = rest.join('\n');
    const dense = `${usage}\n${text}\n`;
    // The blank line below the usage is omitted only where it is the one row too many.
    return rowsOf(dense) === ROWS ? dense : `${usage}\n\n${text}\n`;
  };
  command.configureHelp({ ...command.configureHelp(), formatHelp });
}

const rowsOf = (page: string): number => page.trimEnd().split('\n').length;

function partsOf(
  spec: CommandSpec,
  helper: Help,
  width: number,
  isShort: boolean,
): readonly string[] {
  const rows = (items: readonly (readonly [term: string, text: string])[]) => {
    const longest = Math.max(...items.map(([term]) => term.length));
    return items.map(([term, text]) => helper.formatItem(term, longest, text, helper));
  };
  const { operands = [], flags = [] } = spec;
  const usage = usageLines(`social ${pathOf(spec)} ${usageOf(spec)}`, width);
  const operandRows = operands.map(
    ({ name, description, values }) => [name, described(description, values)] as const,
  );
  const flagRows = flags
    .filter(({ group }) => group !== BATCH)
    .map((flag) => {
      const many = flag.repeatable === true ? '...' : '';
      return [
        `${aligned(flag.flags)}${many}`,
        described(flag.description, valuesOf(flag)),
      ] as const;
    });
  const description = descriptionOf(spec);
  const paragraphs = isShort ? description.replaceAll('\n\n', '\n') : description;
  const lines = paragraphs.split('\n').map((line) => wrapText(line, width, ''));
  const examples = wrapExamples(examplesOf(spec), width, isShort);
  return [
    [`${title('Usage:')} ${usage}`, ...rows(operandRows)].join('\n'),
    lines.join('\n'),
    ...(examples.length === 0 ? [] : [[title('Examples:'), ...examples].join('\n')]),
    ...(flagRows.length === 0 ? [] : [[title('Flags:'), ...rows(flagRows)].join('\n')]),
    [...fieldLines(spec, width, isShort ? 1 : 2), linesBelow(width, topicsOf(spec))].join('\n'),
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

/** Lists the fields for --fields, as many as fit in some rows, and the command that lists all. */
function fieldLines(spec: CommandSpec, width: number, rows: number): readonly string[] {
  const { fields = [] } = spec;
  if (fields.length === 0) return [];
  const all = `… (all: social schema ${pathOf(spec)})`;
  const lines = (count: number) => {
    const rest = count < fields.length ? `, ${all}` : '';
    const line = `Fields (--fields): ${fields.slice(0, count).join(', ')}${rest}`;
    return wrapText(line, width, '').split('\n');
  };
  const counts = fields.map((_, i) => fields.length - i);
  return lines(counts.find((count) => lines(count).length <= rows) ?? 1);
}

const linesBelow = (width: number, lines: readonly string[]): string =>
  [...lines, ...(homepage === undefined ? [] : [`Docs: ${homepage}`])]
    .map((line) => wrapText(line, width, ''))
    .join('\n');

/** Wraps the usage line between flags, with room for its title `Usage:`; a flag stays with its value. */
function usageLines(usage: string, width: number): string {
  const glued = `Usage: ${usage}`.replace(/(-\S+) </g, `$1${GLUE}<`);
  const lines = wrapText(glued, width - 2, '')
    .replaceAll('\n', '\n  ')
    .replaceAll(GLUE, ' ');
  return lines.slice('Usage: '.length);
}

const MARGIN = '  ';
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;

/**
 * Formats examples for a help page, without their title: each before its purpose, or below it if the line is too long.
 * A short list omits the purpose of such a line.
 */
const wrapExamples = (examples: Examples, width: number, isShort: boolean): readonly string[] =>
  Object.entries(examples).flatMap(([purpose, line]) => {
    const row = `${MARGIN}${line}  # ${purpose}`;
    if (row.length <= width) return [row];
    const command = wrapCommand(line, width);
    if (isShort) return [command];
    const above = wrapText(`# ${purpose}`, width, MARGIN);
    return [above.replaceAll(`\n${MARGIN}`, `\n${MARGIN}# `), command];
  });

/**
 * Wraps a command line for copying, each line after a margin. Lines end with a backslash, and never break inside a
 * word, a quoted text, or, if there is room, between a flag and its value; only a word longer than the terminal exceeds
 * it.
 */
export function wrapCommand(line: string, width: number): string {
  if (MARGIN.length + line.length <= width) return MARGIN + line;
  const words = line.match(WORD) ?? [];
  // Every line but the last ends with a backslash; every line but the first has a second margin.
  const room = width - MARGIN.length * 2;
  const glued = words.reduce((text, word, i) => {
    const before = words[i - 1] ?? '';
    const isValue = before.startsWith('-') && /^[^-|>&]/.test(word);
    const fits = MARGIN.length + before.length + 1 + word.length <= room;
    return text + (i === 0 ? '' : isValue && fits ? GLUE : ' ') + word.replaceAll(' ', GLUE);
  }, '');
  return wrapText(glued, room, MARGIN).replaceAll('\n', ` \\\n${MARGIN}`).replaceAll(GLUE, ' ');
}

/** The minimum share of the line for a text beside the term that it explains; with less room it stands below. */
const MIN_SHARE = 3 / 8;

/**
 * Wraps the lines of a page to at most `width` columns; only a longer word exceeds it. A text beside a term, or after
 * an indentation, hangs below its own start.
 */
export const wrapPage = (lines: readonly string[], width: number): readonly string[] =>
  lines.flatMap((line) => broken(line, width).split('\n'));

function broken(line: string, width: number): string {
  if (line.length <= width) return line;
  const start = /^ */.exec(line)![0].length;
  const term = /^ *\S.* {2,}(?=\S)/.exec(line)?.[0] ?? '';
  if (term === '') return hanging(line, start, width);
  if (width - term.length >= width * MIN_SHARE) return hanging(line, term.length, width);
  const below = wrapText(line.slice(term.length), width, ' '.repeat(start + 2));
  return `${broken(term.trimEnd(), width)}\n${below}`;
}

/** Wraps a line with a hanging indent at a column. */
function hanging(line: string, column: number, width: number): string {
  const text = line.slice(column).replaceAll(/ {2,}/g, ' ');
  return line.slice(0, column) + wrapText(text, width, ' '.repeat(column)).slice(column);
}
