// One look for the help of every command: what it is, how it is typed, what it takes, in aligned groups.

import type { Argument, Command, Help, Option } from 'commander';
import { pathOf, rootOf, valuesToList } from './commander-options.ts';
import { homepage } from '../base/version.ts';
import { wrapText } from '../output/wrap.ts';

const OTHER = 'Other flags:';
/** Columns that a description beside its term needs at least, and where it stands when it has fewer. */
const LEAST_ROOM = 28;
const BELOW = ' '.repeat(8);

type Item = readonly [term: string, description: string];

/** Hands the layout to commander; `after` texts (examples) stay its own. */
export function styleHelp(program: Command): Command {
  return program.configureHelp({
    formatHelp: (command, helper) =>
      command.parent === null ? programPage(command, helper) : page(command, helper),
    visibleOptions(this: Help, command) {
      const all = (Object.getPrototypeOf(this) as Help).visibleOptions.call(this, command);
      // What all commands take is shown once, on the program.
      const shared = command.parent === null ? [] : rootOf(command).options;
      return all.filter((option) => !shared.includes(option));
    },
  });
}

/** Words that stand for themselves in the help of the program: their line fits the room that is left. */
export const MORE = 'More:';

/** The help of the program alone: a screen of 24 rows and 80 columns. */
function programPage(program: Command, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const commands = helper.visibleCommands(program);
  const names = commands.filter((each) => each.helpGroup() === MORE).map((each) => each.name());
  const groups = grouped(
    commands.filter((each) => each.helpGroup() !== MORE),
    (each) => [each.helpGroup(), [termOf(each), each.summary()]],
  );
  const terms = groups.flatMap(([, items]) => items.map(([term]) => term.length));
  return `${[
    wrapText(program.description(), width, ''),
    '',
    wrapText(`Usage: ${program.name()} ${program.usage()}`, width, ''),
    wrapText('Try it: social -C sandbox posts get PostSpringLaunch', width, ''),
    '',
    ...groups.flatMap(([title, items]) => [
      title,
      ...items.map((item) => itemLines(item, Math.max(...terms), width)),
    ]),
    wrapText(`${MORE} ${names.join(', ')}`, width, ''),
    wrapText('Flags: --json, -o, -q, -C, -n, -y, … (all: social help flags)', width, ''),
    ...docsLine(width),
  ].join('\n')}\n`;
}

/** The last lines of the help of a command. */
export const moreHelp = (width: number): readonly string[] => [
  wrapText('Global flags (--json, --dry-run, --context …): social help flags', width, ''),
  ...docsLine(width),
];

const docsLine = (width: number): readonly string[] =>
  homepage === undefined ? [] : [wrapText(`Docs: ${homepage}`, width, '')];

/** A page with its headings set off; nothing else of it changes. */
export const emphasizeHeadings = (text: string, strong: (heading: string) => string): string =>
  text.replaceAll(/^(?:[A-Z][\w ]*:$|(?:Usage|Try it|More|Flags|Docs):)/gm, (heading) =>
    strong(heading),
  );

function page(command: Command, helper: Help): string {
  const groups: (readonly [title: string, items: readonly Item[]])[] = [
    ...grouped(helper.visibleCommands(command), (each) => [
      each.helpGroup() || 'Commands:',
      [termOf(each), each.summary()],
    ]),
    ['Arguments:', helper.visibleArguments(command).map((each) => [each.name(), described(each)])],
    ...grouped(helper.visibleOptions(command), (each) => [
      each.helpGroupHeading ?? OTHER,
      [aligned(each.flags), described(each)],
    ]),
  ];
  const last = groups.findIndex(([title]) => title === OTHER);
  groups.push(...groups.splice(last, 1));
  const filled = groups.filter(([, items]) => items.length > 0);
  const width = Math.max(...filled.flatMap(([, items]) => items.map(([term]) => term.length)));
  const sections = [
    wrapped(command.description(), helper),
    `Usage:\n${usage(command, helper)}`,
    ...filled.map(([title, items]) =>
      [title, ...items.map((item) => itemLines(item, width, helper.helpWidth ?? 80))].join('\n'),
    ),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** A description beside its term, or below it where there would be little room. */
function itemLines([term, text]: Item, termWidth: number, width: number): string {
  const margin = ' '.repeat(termWidth + 4);
  if (text === '') return `  ${term}`;
  if (width - margin.length < LEAST_ROOM) return `  ${term}\n${wrapText(text, width, BELOW)}`;
  return `  ${term.padEnd(termWidth)}  ${wrapText(text, width, margin).trimStart()}`;
}

/** Broken between flags where it is too long; a flag stays with its value. */
function usage(command: Command, helper: Help): string {
  const glued = `${pathOf(command)} ${command.usage()}`.replace(/(-\S+) </g, '$1\u00a0<');
  return wrapText(glued, helper.helpWidth ?? 80, '  ')
    .replaceAll('\n', '\n  ')
    .replaceAll('\u00a0', ' ');
}

/** A longer list of values has a command of its own. */
const MOST_VALUES = 9;

/** The description, with the values where it does not name them all. */
function described({ description, argChoices }: Option | Argument): string {
  const values = valuesToList({ description, values: argChoices });
  const isShort = values.length > 0 && values.length <= MOST_VALUES;
  return isShort ? `${description} (${values.join(', ')})` : description;
}

const termOf = (command: Command): string => [command.name(), ...command.aliases()].join(', ');

/** Long flags stand in one column, whether a short one comes before them or not. */
export const aligned = (flags: string): string => (flags.startsWith('--') ? `    ${flags}` : flags);

function wrapped(text: string, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  return text
    .split('\n')
    .map((line) => wrapText(line, width, ''))
    .join('\n');
}

/** Things sorted under their titles, the titles in the order in which they first come. */
function grouped<T>(
  things: readonly T[],
  place: (thing: T) => readonly [string, Item],
): [string, readonly Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const [title, item] of things.map(place))
    groups.set(title, [...(groups.get(title) ?? []), item]);
  return [...groups];
}
