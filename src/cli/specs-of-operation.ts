// An operation as commands: their words, operands, flags and help, all derived from its data.

import { commandNamesOf, type Field, fieldsOf } from '../api/operations/fields.ts';
import { effectOf, isChange, type Operation } from '../api/operations/define-operation.ts';
import { batchFlags } from '../batch/options.ts';
import {
  allFlag,
  clearFlag,
  type FlagSpec,
  longName,
  noteFlag,
  shortFlagOf,
} from '../config/flags.ts';
import { waitFlags } from '../wait/options.ts';
import type { Command } from '../client/session.ts';
import type { CommandSpec, Operand } from './command-spec.ts';
import { BATCH } from './help.ts';

/** The flags and hooks that are added to the command of an operation, by its words. */
export type Extras = Readonly<Record<string, Pick<Command, 'flags' | 'hooks'>>>;

/** Makes the commands of an operation: one, or one for each value of a field in its words: `accounts {platform} …`. */
export function specsOf(command: Command): readonly CommandSpec[] {
  const { operation, waits = false, flags: flagSpecs = [] } = command;
  const fields = fieldsOf(operation);
  const operands = fields
    .filter(({ argument }) => argument !== undefined)
    .map(({ placeholder, description, argument, idKind }): Operand => ({
      name: placeholder,
      description,
      many: argument === 'many',
      id: idKind,
    }));
  const flags = [
    ...fields.filter(({ argument }) => argument === undefined).flatMap(flagsOf),
    ...flagSpecs,
    ...waitFlags(operation, waits),
    ...batchFlags(operation).map((flag) => ({ ...flag, group: BATCH })),
    ...(isChange(operation) ? [{ ...noteFlag, group: BATCH }] : []),
  ];
  return commandNamesOf(operation).map((spelling): CommandSpec => ({
    words: spelling.words,
    aliases: spelling.aliases,
    summary: spelling.summary,
    details: detailsOf(operation),
    operands,
    flags,
    examples: spelling.examples,
    effect: effectOf(operation),
    operation,
    impliedFields: spelling.impliedFields,
    dryRun: true,
    collectsFaults: true,
    async run(call) {
      const { runOperation } = await import('./run-operation.ts');
      await runOperation(command, spelling, call);
    },
  }));
}

function detailsOf({ details, danger }: Operation): string | undefined {
  const warning = danger && `${danger} Asks for confirmation first.`;
  return [details, warning].filter((text) => text !== undefined).join('\n\n') || undefined;
}

/**
 * Makes the flags of a field: one with its value, and others that read it from a file, clear it or stand for many
 * values. `required` is only shown in help, because the input is validated whole.
 */
function flagsOf(field: Field): readonly FlagSpec[] {
  const { flag, kind, values, fromContext, description, required, hidden, idKind: id } = field;
  const clear = `Remove the ${flag}${kind === 'map' ? 's' : ''}`;
  const cleared = field.nullable ? [{ flags: clearFlag(field), description: clear }] : [];
  if (field.off !== undefined)
    return [
      { flags: `--${flag}`, description, required },
      {
        flags: `--${field.off.flag}`,
        description: field.off.description,
        conflicts: [`--${flag}`],
      },
    ];
  if (field.secret && kind === 'text') return exclusive([...secretFlags(field), ...cleared]);
  const short = shortFlagOf(field);
  // --account, whose value may come from the context, is a global flag too: it may be repeated, and the last is used.
  const isGlobal = fromContext !== undefined;
  const repeatable = kind === 'list' || kind === 'map';
  const main = {
    flags: `${short === undefined ? '' : `${short}, `}--${flag} <${field.placeholder}>`,
    description,
    repeatable,
    once: !isGlobal && !repeatable,
    required,
    secret: hidden,
    values,
    id,
  };
  const all = allFlag(field);
  const allValues =
    all === undefined ? [] : [{ flags: all, description: `All ${values!.length} ${flag}s` }];
  if (kind !== 'map')
    return exclusive([main, ...allValues, ...(field.prose ? proseFlags(field) : []), ...cleared]);
  // The pairs of the line and those of a file are added up.
  const conflicts = cleared.map(({ flags }) => flags);
  const both = field.secret ? [main, headerFileFlag(field)] : [main];
  return [...both.map((spec) => ({ ...spec, conflicts })), ...cleared];
}

/** Lets only one of the flags be typed, because each sets the whole value. */
const exclusive = (specs: readonly FlagSpec[]): readonly FlagSpec[] =>
  specs.map((spec, i) => ({
    ...spec,
    conflicts: specs.slice(i + 1).map(({ flags }) => longName(flags)),
  }));

const headerFileFlag = ({ flag, placeholder }: Field): FlagSpec => ({
  ...fileFlag(flag, `Secret ${flag}s, one "${placeholder}" per line`),
  secret: true,
});

const proseFlags = ({ flag }: Field): readonly FlagSpec[] => [
  fileFlag(flag, `Read the ${flag} from a file`),
  { flags: '--editor', description: `Write the ${flag} in your editor ($EDITOR)` },
];

const secretFlags = ({ flag, description, required }: Field): readonly FlagSpec[] => [
  { ...fileFlag(flag, description), required, secret: true },
  {
    flags: `--${flag}-env <name>`,
    description: `Read the ${flag} from this environment variable`,
    secret: true,
  },
];

const fileFlag = (flag: string, description: string): FlagSpec => ({
  flags: `--${flag}-file <file>`,
  description: `${description} ("-" for stdin)`,
  stdin: true,
  once: true,
});
