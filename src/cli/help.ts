// The help of every command: commander's own layout, fitted to the width, and what is said below it.

import { type Command, Help } from 'commander';
import { homepage } from '../base/version.ts';
import { longName } from '../config/flags.ts';
import { wrapExamples, wrapText } from '../output/wrap.ts';
import { type CommandSpec, examplesOf, type Words } from './command-spec.ts';

/** Columns that a description needs beside its term; with fewer it stands below the term, behind this margin. */
const LEAST_ROOM = 28;
const BELOW = ' '.repeat(8);

/** The group of words that the help of the program lists by name alone. */
export const MORE = 'More:';
/** The group of flags that a topic describes. */
export const BATCH = 'Batch';

/** A heading of the help; where the output takes no colour the escape sequences are removed. */
export const title = (text: string): string => `\u001b[1m${text}\u001b[22m`;

/** Long flags stand in one column, whether a short one comes before them or not. */
export const aligned = (flags: string): string => (flags.startsWith('--') ? `    ${flags}` : flags);

/** Sets up the help of the program and of all commands below it, which inherit this. */
export function configureHelp(program: Command, words: Words, width: number): void {
  program.configureHelp({
    minWidthToWrap: LEAST_ROOM,
    styleTitle: title,
    commandUsage: (command) => usageLines(command.usage(), width),
    subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
    optionTerm: ({ flags }) => aligned(flags),
    // The flags of the program are in `help flags`.
    visibleOptions(command) {
      return command.parent === null ? [] : Help.prototype.visibleOptions.call(this, command);
    },
    visibleCommands: ({ commands }) => commands.filter((each) => each.helpGroup() !== MORE),
    formatItem(term, termWidth, description, helper) {
      if (description === '' || width - termWidth - 4 >= LEAST_ROOM)
        return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
      return `  ${term}\n${wrapText(description, width, BELOW)}`;
    },
  });
  const more = Object.keys(words).filter((name) => words[name]!.group === MORE);
  program.addHelpText('after', () =>
    linesBelow(width, [
      `More: ${more.join(', ')}`,
      'Topics: social help flags, batch, environment, exit-codes, output',
      'Try it: social -C sandbox posts get PostSpringLaunch',
    ]),
  );
}

/** Adds what stands below the flags of a command: the examples last, where they are next to the prompt. */
export function addExamples(command: Command, spec: CommandSpec, width: number): void {
  const examples = examplesOf(spec);
  const batch = (spec.flags ?? [])
    .filter(({ group }) => group === BATCH)
    .map(({ flags }) => longName(flags));
  const shown = ['--from', '--journal', '--rate'].filter((flag) => batch.includes(flag));
  command.addHelpText('after', () => {
    const below = linesBelow(width, [
      ...(batch.length > 0 ? [`Batch flags (${shown.join(', ')} …): social help batch`] : []),
      'Global flags (--json, --dry-run, --context …): social help flags',
    ]);
    if (examples.length === 0) return `\n${below}`;
    return `\n${[title('Examples:'), ...wrapExamples(examples, width), '', below].join('\n')}`;
  });
}

const linesBelow = (width: number, lines: readonly string[]): string =>
  [...lines, ...(homepage === undefined ? [] : [`Docs: ${homepage}`])]
    .map((line) => wrapText(line, width, ''))
    .join('\n');

/** Broken between flags where it is too long; a flag stays with its value. */
function usageLines(usage: string, width: number): string {
  const glued = `Usage: ${usage}`.replace(/(-\S+) </g, '$1\u00a0<');
  const lines = wrapText(glued, width - 2, '')
    .replaceAll('\n', '\n  ')
    .replaceAll('\u00a0', ' ');
  return lines.slice('Usage: '.length);
}
