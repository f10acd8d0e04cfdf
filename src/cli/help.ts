// The help of every command: commander's own layout, fitted to the width, and what is said below it.

import { type Argument, type Command, Help, type Option } from 'commander';
import type { Example } from '../api/operations/define-operation.ts';
import { homepage } from '../base/version.ts';
import { wrapExamples, wrapText } from '../output/wrap.ts';
import { pathOf, rootOf, valuesToList } from './commander-options.ts';

/** Columns that a description needs beside its term; with fewer it stands below the term, behind this margin. */
const LEAST_ROOM = 28;
const BELOW = ' '.repeat(8);
/** A longer list of values has a command of its own. */
const MOST_VALUES = 9;

/** The group of commands that the help of the program lists by name alone. */
export const MORE = 'More:';
/** The group of flags that a topic describes. */
export const BATCH = 'Batch:';

/** A heading of the help; where the output takes no colour the escape sequences are removed. */
export const title = (text: string): string => `\u001b[1m${text}\u001b[22m`;

/** Long flags stand in one column, whether a short one comes before them or not. */
export const aligned = (flags: string): string => (flags.startsWith('--') ? `    ${flags}` : flags);

/** Sets up the help of the program and of all commands below it, which inherit this. */
export function configureHelp(program: Command, width: number): void {
  program.configureHelp({
    minWidthToWrap: LEAST_ROOM,
    styleTitle: title,
    commandUsage: (command) => usageOf(command, width),
    subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
    optionTerm: ({ flags }) => aligned(flags),
    optionDescription: described,
    argumentDescription: described,
    visibleOptions(command) {
      // The global flags are in `help flags`.
      const shared = rootOf(command).options;
      const all = Help.prototype.visibleOptions.call(this, command);
      const isOwn = (option: Option) =>
        !shared.includes(option) && option.helpGroupHeading !== BATCH;
      return command.parent === null ? [] : all.filter(isOwn);
    },
    visibleCommands: ({ commands }) => commands.filter((each) => each.helpGroup() !== MORE),
    formatItem(term, termWidth, description, helper) {
      if (description === '' || width - termWidth - 4 >= LEAST_ROOM)
        return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
      return `  ${term}\n${wrapText(description, width, BELOW)}`;
    },
  });
  program.addHelpText('after', () => {
    const more = program.commands.filter((each) => each.helpGroup() === MORE);
    return linesBelow(width, [
      `More: ${more.map((each) => each.name()).join(', ')}`,
      'Topics: social help flags, batch, environment, exit-codes, output',
      'Try it: social -C sandbox posts get PostSpringLaunch',
    ]);
  });
}

/** Adds what stands below the flags of a command: the examples last, where they are next to the prompt. */
export function addEpilogue(
  command: Command,
  width: number,
  { examples }: { examples: readonly Example[] },
): void {
  const batch = command.options.filter((option) => option.helpGroupHeading === BATCH);
  const shown = ['--from', '--journal', '--rate'].filter((flag) =>
    batch.some(({ long }) => long === flag),
  );
  const sections = [
    ...(examples.length === 0 ? [] : [title('Examples:'), ...wrapExamples(examples, width), '']),
    linesBelow(width, [
      ...(batch.length > 0 ? [`Batch flags (${shown.join(', ')} …): social help batch`] : []),
      'Global flags (--json, --dry-run, --context …): social help flags',
    ]),
  ];
  command.addHelpText('after', () => `\n${sections.join('\n')}`);
}

const linesBelow = (width: number, lines: readonly string[]): string =>
  [...lines, ...(homepage === undefined ? [] : [`Docs: ${homepage}`])]
    .map((line) => wrapText(line, width, ''))
    .join('\n');

/** Broken between flags where it is too long; a flag stays with its value. */
function usageOf(command: Command, width: number): string {
  const glued = `Usage: ${pathOf(command)} ${command.usage()}`.replace(/(-\S+) </g, '$1\u00a0<');
  const lines = wrapText(glued, width - 2, '')
    .replaceAll('\n', '\n  ')
    .replaceAll('\u00a0', ' ');
  return lines.slice('Usage: '.length);
}

/** The description, with the values where it does not name them all. */
function described({ description, argChoices }: Option | Argument): string {
  const values = valuesToList({ description, values: argChoices });
  const isShort = values.length > 0 && values.length <= MOST_VALUES;
  return isShort ? `${description} (${values.join(', ')})` : description;
}
