// `schema [command…]`: input and result of a command as JSON Schema. Offline, and the same whatever is configured.

import { type Failure, usageFailure } from '../base/errors.ts';
import { everyOperation } from '../api/operations/registry.ts';
import { inputSchema, resultSchema } from '../api/operations/json-schema.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import { commandNamesOf, type CommandNames } from '../api/operations/command-names.ts';
import { toJsonText } from '../output/format.ts';
import { quote } from '../base/sanitize.ts';
import { didYouMean } from '../base/closest.ts';
import { type LocalCall, localCommand } from '../cli/local-command.ts';
import { printRows } from '../output/write-result.ts';
import { triageOperation } from './posts/triage.ts';
import { waitOperation } from './posts/wait.ts';

export const add = localCommand({
  details:
    'The input schema is also the schema of a --from record; the result is what --json prints (JSON Schema 2020-12). Without a command, or with a group, it lists the commands that have a schema.',
  operands: [{ name: 'command', description: 'Command, e.g. posts retry', many: true }],
  example: 'social schema posts retry',
  config: 'none',
  async run(call) {
    const known = await everyCommand();
    const typed = call.operands.join(' ');
    const found = known.find(({ names }) => names.includes(typed));
    if (found !== undefined) return print(call, describe(found));
    const below = known.filter(({ path }) => typed === '' || path.startsWith(`${typed} `));
    if (below.length === 0) throw unknown(typed, known);
    const rows = below.map(({ path, spelling, operation: { method, path: target } }) => ({
      command: path,
      summary: spelling.summary,
      request: `${method} ${target}`,
    }));
    return printRows(call, ['command', 'summary', 'request'], rows);
  },
});

interface Known {
  readonly operation: Operation;
  readonly spelling: CommandNames;
  /** `posts retry` */
  readonly path: string;
  /** The same, then with each alias as its last word. */
  readonly names: readonly string[];
}

async function everyCommand(): Promise<readonly Known[]> {
  const operations = (await everyOperation()).map(({ operation }) => operation);
  const known = [...operations, triageOperation, waitOperation].flatMap((operation) =>
    commandNamesOf(operation).map((spelling): Known => {
      const { words, aliases } = spelling;
      const path = words.join(' ');
      const others = aliases.map((alias) => [...words.slice(0, -1), alias].join(' '));
      return { operation, spelling, path, names: [path, ...others] };
    }),
  );
  return known.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function describe({ operation, spelling, path }: Known): object {
  const { method, path: target } = operation;
  return {
    command: `social ${path}`,
    summary: spelling.summary,
    request: `${method} ${target}`,
    input: inputSchema(operation, spelling.given),
    result: resultSchema(operation),
  };
}

function unknown(typed: string, known: readonly Known[]): Failure {
  const meant = didYouMean(
    typed,
    known.flatMap(({ names }) => names),
  );
  const fault = { field: 'no schema', problem: `for ${quote(typed)}`, fix: meant?.fix };
  return usageFailure(fault, `social schema ${meant?.near ?? ''}`.trim());
}

/** A document to keep or to read: in lines, unless JSON was asked for and goes into a pipe. */
async function print({ runtime, settings }: LocalCall, value: object): Promise<void> {
  const { output } = settings;
  const compact = output === 'ndjson' || (output === 'json' && !runtime.stdout.isTTY);
  await runtime.stdout.write(toJsonText(value, !compact));
}
