// `schema [command…]`: input and result of a command as JSON Schema. It works offline and without settings.

import { type Failure, usageFailure } from '../base/errors.ts';
import { inputSchema, resultSchema } from '../api/operations/json-schema.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import { quote } from '../base/sanitize.ts';
import { didYouMean } from '../base/suggestions.ts';
import { type Call, type CommandBody, type CommandSpec, pathOf } from '../cli/command-spec.ts';
import { toJson } from '../base/json.ts';
import { printRows } from '../output/write-result.ts';

export const schemaCommand: CommandBody = {
  details:
    'The input schema is also the schema of a --from record; the result is what --json prints (JSON Schema 2020-12). Without a command, or with a group, it lists the commands that have a schema.',
  operands: [
    { name: 'command', description: 'Command, e.g. posts retry', optional: true, many: true },
  ],
  example: 'social schema posts retry',
  config: 'none',
  async run(call) {
    const described = await everyOperation(call);
    const typed = call.operands.join(' ');
    const found = described.find(({ names }) => names.includes(typed));
    if (found !== undefined) return print(call, describe(found));
    const below = described.filter(({ path }) => typed === '' || path.startsWith(`${typed} `));
    if (below.length === 0) throw unknown(typed, described);
    const rows = below.map(({ path, spec, operation: { method, path: target } }) => ({
      command: path,
      summary: spec.summary,
      request: `${method} ${target}`,
    }));
    return printRows(call, ['command', 'summary', 'request'], rows);
  },
};

interface Known {
  readonly spec: CommandSpec;
  readonly operation: Operation;
  /** The words of the command: `posts retry`. */
  readonly path: string;
  /** The words of the command, and with each alias in place of the last word. */
  readonly names: readonly string[];
}

/** Returns the commands that call an operation. */
async function everyOperation({ program }: Call): Promise<readonly Known[]> {
  const described: Known[] = [];
  for (const spec of await program.specs()) {
    const { operation, words, aliases = [] } = spec;
    if (operation === undefined) continue;
    const others = aliases.map((alias) => [...words.slice(0, -1), alias].join(' '));
    described.push({ spec, operation, path: pathOf(spec), names: [pathOf(spec), ...others] });
  }
  return described.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function describe({ operation, spec, path }: Known): object {
  const { method, path: target } = operation;
  return {
    command: `social ${path}`,
    summary: spec.summary,
    request: `${method} ${target}`,
    input: inputSchema(operation, spec.given ?? {}),
    result: resultSchema(operation),
  };
}

function unknown(typed: string, described: readonly Known[]): Failure {
  const meant = didYouMean(
    typed,
    described.flatMap(({ names }) => names),
  );
  const fault = { field: 'no schema', problem: `for ${quote(typed)}`, fix: meant?.fix };
  return usageFailure(fault, `social schema ${meant?.near ?? ''}`.trim());
}

/** Prints a document, indented unless JSON was requested for a pipe. */
async function print({ runtime, settings }: Call, value: object): Promise<void> {
  const { output } = settings;
  const compact = output === 'ndjson' || (output === 'json' && !runtime.stdout.isTTY);
  await runtime.stdout.write(`${toJson(value, compact ? 0 : 2)}\n`);
}
