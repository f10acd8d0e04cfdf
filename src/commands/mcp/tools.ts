// The operations as tools: name, words, JSON Schema of the input, what a call does to the world. A projection.

import { commandNamesOf } from '../../api/operations/command-names.ts';
import {
  isChange,
  mutationOf,
  type Operation,
  type Input,
} from '../../api/operations/define-operation.ts';
import { fieldsOf, kebab } from '../../api/operations/fields.ts';
import { inputSchema, type JsonSchema } from '../../api/operations/json-schema.ts';
import type { AreaName } from '../../api/operations/registry.ts';
import { Failure, usageFailure } from '../../base/errors.ts';
import { suggestCommand } from '../../config/flags.ts';
import type { Settings } from '../../config/settings.ts';

export interface Tool {
  readonly name: string;
  readonly operation: Operation;
}

/** The field that repeats an id, where a call takes something away. */
export const CONFIRM = 'confirm';

/** `posts_get`, `accounts_bluesky_send`: the area, and the operation's own name. */
export function toolOf(area: AreaName, name: string, operation: Operation): Tool {
  return { name: `${area}_${kebab(name).replaceAll('-', '_')}`, operation };
}

/** A tool in the words of the protocol. */
export interface Description extends Record<string, unknown> {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [word: string]: unknown };
  annotations: Record<string, unknown>;
}

/** What a client is told of a tool. `account` is the one that acts where a call names none. */
export function describeTool({ name, operation }: Tool, account: string | undefined): Description {
  const { details, danger, assumes, method, path } = operation;
  const mutation = mutationOf(operation);
  const title = titleOf(operation);
  return {
    name,
    title,
    description: [
      `${title}.`,
      ...details,
      ...(danger === undefined ? [] : [danger]),
      ...(isChange(operation) ? [`Sends ${method} ${path}.`] : []),
      ...assumes.map((each) => `Assumed: ${each}.`),
    ].join('\n'),
    inputSchema: { ...schemaOf(operation, account), type: 'object' },
    annotations: {
      title,
      readOnlyHint: !isChange(operation),
      // What sets a value writes over the one before it.
      destructiveHint: danger !== undefined || mutation === 'set',
      idempotentHint: mutation === 'none' || mutation === 'idempotent',
      openWorldHint: true,
    },
  };
}

/** One operation that stands for several commands is called by all that it can do. */
function titleOf(operation: Operation): string {
  const spellings = commandNamesOf(operation);
  const [{ summary }] = spellings as [(typeof spellings)[0]];
  if (spellings.length === 1) return summary;
  const [first = '', ...rest] = spellings.map(({ words }) => words.at(-1)!);
  return summary.replace(new RegExp(`^${first}`, 'i'), [capital(first), ...rest].join(', '));
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The input as JSON Schema, with the repeated id that consent needs. */
function schemaOf(operation: Operation, account: string | undefined): JsonSchema {
  const { $schema: _dialect, ...schema } = inputSchema(operation);
  const optional = account === undefined ? undefined : accountField(operation);
  const required = (schema['required'] as readonly string[]).filter((each) => each !== optional);
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>>;
  const known =
    optional === undefined
      ? properties
      : {
          ...properties,
          [optional]: { ...properties[optional], default: account },
        };
  if (operation.danger === undefined) return { ...schema, properties: known, required };
  const id = idField(operation);
  const confirm = { type: 'string', description: `Consent: the same ${id} once more` };
  return {
    ...schema,
    properties: { ...known, [CONFIRM]: confirm },
    required: [...required, CONFIRM],
  };
}

/** The field of the account that acts, where the operation has one. */
export const accountField = (operation: Operation): string | undefined =>
  fieldsOf(operation).find(({ fromContext }) => fromContext === 'account')?.name;

/** The field of what the operation is about. */
const idField = (operation: Operation): string => Object.keys(operation.input.shape)[0]!;

// What an agent may do. It reads; it changes something only where the one who started the server said so; and what
// takes something away needs the id once more. Nobody is there to ask, so a protected context says no.

/** What the server was started with. */
export interface McpPermissions {
  readonly writes: boolean;
}

/** Whether a tool is served at all. */
export function isExposed(
  operation: Operation,
  grant: McpPermissions,
  settings: Settings,
): boolean {
  return refusal(operation, grant, settings) === undefined;
}

/** Throws `usage` where the call may not be made: nothing was sent. */
export function checkAllowed(
  operation: Operation,
  grant: McpPermissions,
  settings: Settings,
  given: Input,
): void {
  const no = refusal(operation, grant, settings);
  if (no !== undefined) throw no;
  if (operation.danger === undefined) return;
  const id = idField(operation);
  const confirmed = given[CONFIRM];
  if (typeof confirmed === 'string' && confirmed === given[id]) return;
  const problem =
    confirmed === undefined ? 'is required' : `must be the ${id} once more, and is another text`;
  throw usageFailure([{ field: CONFIRM, problem, fix: `repeat the ${id}; ${operation.danger}` }]);
}

function refusal(
  operation: Operation,
  grant: McpPermissions,
  settings: Settings,
): Failure | undefined {
  if (!isChange(operation)) return undefined;
  const serve = (more: string) => suggestCommand(`mcp serve ${more}`, { settings, flags: {} });
  if (!grant.writes)
    return denied(
      'this server only reads',
      'who started it can let it write',
      serve('--allow-writes'),
    );
  if (settings.stored?.protected !== true) return undefined;
  const where = `the context ${settings.context!} is protected`;
  if (operation.danger !== undefined)
    return denied(`${where}: a person must delete or disable there`, 'use the command line');
  if (settings.yes) return undefined;
  return denied(
    `${where}: nothing is changed there unasked`,
    'start with --yes to allow it',
    serve('--allow-writes --yes'),
  );
}

function denied(what: string, hint: string, next?: string): Failure {
  return new Failure('usage', {
    what,
    hint,
    ...(next === undefined ? {} : { next }),
    sent: false,
    retryable: false,
  });
}
