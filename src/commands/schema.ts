// `schema [command…]`: input and result of a command as JSON Schema. It works offline and without settings.

import type { Operation } from '../api/operations/define-operation.ts';
import { inputSchema, resultSchema } from '../api/operations/json-schema.ts';
import { usageFailure } from '../base/errors.ts';
import { quote } from '../base/sanitize.ts';
import { type CommandBody, type CommandSpec, pathOf, specsOfWords } from '../cli/command-spec.ts';
import { toJson } from '../base/json.ts';
import { printText, printValue } from '../output/write-result.ts';

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
    if (found !== undefined) {
      const schema = describe(found);
      return printText(call, `${toJson(schema, 2)}\n`, schema);
    }
    const below = withSchema.filter((spec) => typed === '' || pathOf(spec).startsWith(`${typed} `));
    if (below.length === 0) {
      // The error reads `no schema for "posts gt"; did you mean …?`.
      const among = { typed, choices: withSchema.flatMap(namesOf) };
      const problem = `for ${quote(typed)}`;
      throw usageFailure({ field: 'no schema', problem, among }, ['social', 'schema']);
    }
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
