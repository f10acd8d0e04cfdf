// `schema [command…]`: input and result of a command as JSON Schema. It works offline and without settings.

import type { Operation } from '../api/operations/define-operation.ts';
import { inputSchema, resultSchema } from '../api/operations/json-schema.ts';
import { type Failure, usageFailure } from '../base/errors.ts';
import { quote } from '../base/sanitize.ts';
import {
  type Call,
  type CommandBody,
  type CommandSpec,
  pathOf,
  specsOfWords,
} from '../cli/command-spec.ts';
import { toJson } from '../base/json.ts';
import { printValue } from '../output/write-result.ts';

export const schemaCommand: CommandBody = {
  details:
    'The input schema is also the schema of a --from record; the result is what --json prints (JSON Schema 2020-12). Without a command, or with a group, it lists the commands that have a schema.',
  operands: [
    { name: 'command', description: 'Command, e.g. posts retry', optional: true, many: true },
  ],
  example: 'social schema posts retry',
  config: 'none',
  async run(call) {
    const withSchema = (await specsOfWords(call.program.words))
      .filter(callsOperation)
      .toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
    const typed = call.operands.join(' ');
    const found = withSchema.find((spec) => namesOf(spec).includes(typed));
    if (found !== undefined) return print(call, describe(found));
    const below = withSchema.filter((spec) => typed === '' || pathOf(spec).startsWith(`${typed} `));
    if (below.length === 0) throw unknown(typed, withSchema.flatMap(namesOf));
    const rows = below.map((spec) => ({
      command: pathOf(spec),
      summary: spec.summary,
      request: requestOf(spec),
    }));
    return printValue(call, ['command', 'summary', 'request'], rows);
  },
};

type OperationSpec = CommandSpec & { readonly operation: Operation };

const callsOperation = (spec: CommandSpec): spec is OperationSpec => spec.operation !== undefined;

/** Returns the words of the command, and with each alias in place of the last word. */
const namesOf = ({ words, aliases = [] }: CommandSpec): readonly string[] =>
  [words.at(-1)!, ...aliases].map((last) => [...words.slice(0, -1), last].join(' '));

const requestOf = ({ operation: { method, path } }: OperationSpec): string => `${method} ${path}`;

const describe = (spec: OperationSpec): object => ({
  command: `social ${pathOf(spec)}`,
  summary: spec.summary,
  request: requestOf(spec),
  input: inputSchema(spec.operation, spec.impliedFields ?? {}),
  result: resultSchema(spec.operation),
});

function unknown(typed: string, choices: readonly string[]): Failure {
  // The error reads `no schema for "posts gt"; did you mean …?`.
  const fault = { field: 'no schema', problem: `for ${quote(typed)}`, among: { typed, choices } };
  return usageFailure(fault, 'social schema');
}

/** Prints a document: indented, except as NDJSON, or as JSON into a pipe. */
async function print({ runtime, settings }: Call, value: object): Promise<void> {
  const { output } = settings;
  const compact = output === 'ndjson' || (output === 'json' && !runtime.stdout.isTTY);
  await runtime.stdout.write(`${toJson(value, compact ? 0 : 2)}\n`);
}
