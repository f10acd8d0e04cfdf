// The operations as tools of the protocol (name, description, JSON Schema, annotations), and the tools that an agent
// may call. It may read; it may change something only with --allow-writes; to delete or disable, it repeats the ID. In
// a protected context, where no prompt is possible, nothing can be deleted.

import { commandNamesOf } from '../../api/operations/command-names.ts';
import {
  type Input,
  isChange,
  mutationOf,
  type Operation,
} from '../../api/operations/define-operation.ts';
import { fieldsOf, kebab } from '../../api/operations/fields.ts';
import { inputSchema, type JsonSchema } from '../../api/operations/json-schema.ts';
import type { AreaName } from '../../api/operations/registry.ts';
import { Failure, unsentFailure, usageFailure } from '../../base/errors.ts';
import type { Client } from '../../client/open-client.ts';
import { type RawFlags } from '../../config/flags.ts';
import { suggestCommand } from '../../base/shell.ts';
import type { Settings } from '../../config/settings.ts';

export interface Tool {
  readonly name: string;
  /** The operation that the tool lists, and that a plain call sends. */
  readonly operation: Operation;
  /** Set for a tool that makes several requests. It only reads. */
  readonly run?: (input: Input, client: Client) => Promise<Answer>;
}

/** The data of a response; after a failure, both. */
export interface Answer {
  readonly data: unknown;
  readonly failure?: Failure | undefined;
}

/** The options of the server, and the number of changes that it has sent. */
export interface McpPermissions {
  readonly flags: RawFlags;
  readonly writes: { sent: number; readonly max: number | undefined };
}

/** The maximum of --max-writes. */
export const MAX_WRITES = 1_000_000;

/** Formats `1 change`, `3 changes`. */
export const changes = (count: number): string => `${count} change${count === 1 ? '' : 's'}`;

/** The field that repeats the ID, for a call that deletes or disables. */
export const CONFIRM = 'confirm';

/** Makes the tool of an operation: `posts_get`, `accounts_bluesky_send`, from the area and the operation's name. */
export function toolOf(area: AreaName, name: string, operation: Operation): Tool {
  return { name: `${area}_${kebab(name).replaceAll('-', '_')}`, operation };
}

/** Describes a tool for the protocol. `account` is the default of a call without one. */
export function describeTool({ operation }: Tool, account: string | undefined) {
  const { details, danger, method, path } = operation;
  const mutation = mutationOf(operation);
  const title = titleOf(operation);
  const description = [
    `${title}.`,
    ...details,
    ...(danger === undefined ? [] : [danger]),
    ...(isChange(operation) ? [`Sends ${method} ${path}.`] : []),
  ].join('\n');
  const annotations = {
    title,
    readOnlyHint: !isChange(operation),
    // Setting a value overwrites the previous one.
    destructiveHint: danger !== undefined || mutation === 'set',
    idempotentHint: mutation === 'none' || mutation === 'idempotent',
    openWorldHint: true,
  };
  return { title, description, annotations, schema: schemaOf(operation, account) };
}

/** Returns the title of an operation; with several commands it names them all. */
function titleOf(operation: Operation): string {
  const spellings = commandNamesOf(operation);
  const [{ summary }] = spellings as [(typeof spellings)[0]];
  if (spellings.length === 1) return summary;
  const [first = '', ...rest] = spellings.map(({ words }) => words.at(-1)!);
  const capital = first.charAt(0).toUpperCase() + first.slice(1);
  return summary.replace(new RegExp(`^${first}`, 'i'), [capital, ...rest].join(', '));
}

/** Makes the JSON Schema of the input, with the confirming field. */
function schemaOf(operation: Operation, account: string | undefined): JsonSchema {
  const { $schema: _dialect, ...schema } = inputSchema(operation);
  const properties = { ...(schema['properties'] as Record<string, JsonSchema>) };
  let required = schema['required'] as readonly string[];
  const field = accountField(operation);
  if (field !== undefined && account !== undefined) {
    properties[field] = { ...properties[field], default: account };
    required = required.filter((name) => name !== field);
  }
  if (operation.danger !== undefined) {
    const description = `Confirmation: repeat the ${idField(operation)}`;
    properties[CONFIRM] = { type: 'string', description };
    required = [...required, CONFIRM];
  }
  return { ...schema, type: 'object', properties, required };
}

/** Returns the field of the account, if the operation has one. */
export const accountField = (operation: Operation): string | undefined =>
  fieldsOf(operation).find(({ fromContext }) => fromContext === 'account')?.name;

/** Returns the field of the ID. */
const idField = (operation: Operation): string => Object.keys(operation.input.shape)[0]!;

/** Returns why a tool may not be called; such a tool is not listed. */
export function refusal(
  operation: Operation,
  { flags }: McpPermissions,
  settings: Settings,
): Failure | undefined {
  if (!isChange(operation)) return undefined;
  const serve = (more: string) => suggestCommand(`mcp serve ${more}`, { settings, flags });
  if (flags['allowWrites'] !== true)
    return unsentFailure('usage', {
      what: 'this server is read-only',
      hint: 'start it with --allow-writes',
      next: serve('--allow-writes'),
    });
  if (settings.stored?.protected !== true) return undefined;
  const where = `the context ${settings.context!} is protected`;
  if (operation.danger !== undefined)
    return unsentFailure('usage', {
      what: `${where}: a person must delete or disable there`,
      hint: 'use the command line',
    });
  if (settings.yes) return undefined;
  return unsentFailure('usage', {
    what: `${where}: changes need a person’s consent`,
    hint: 'start the server with --yes to allow it',
    next: serve('--allow-writes --yes'),
  });
}

/** Throws `usage` if the call is not allowed. */
export function checkAllowed(
  operation: Operation,
  permissions: McpPermissions,
  settings: Settings,
  args: Input,
): void {
  const refused = refusal(operation, permissions, settings);
  if (refused !== undefined) throw refused;
  if (operation.danger === undefined) return;
  const id = idField(operation);
  const confirmed = args[CONFIRM];
  if (typeof confirmed === 'string' && confirmed === args[id]) return;
  const problem =
    confirmed === undefined ? 'is required' : `must repeat the ${id}, got another text`;
  throw usageFailure({ field: CONFIRM, problem, fix: `repeat the ${id}; ${operation.danger}` });
}

/** Throws `usage` if no further change may be sent. */
function checkWrites({ writes, flags }: McpPermissions, settings: Settings): void {
  const { sent, max } = writes;
  if (max === undefined || sent < max) return;
  const yes = settings.yes ? ' --yes' : '';
  const higher = Math.min(max * 2, MAX_WRITES);
  const words = `mcp serve --allow-writes${yes} --max-writes ${higher}`;
  throw unsentFailure('usage', {
    code: 'write_limit',
    what: `write limit reached: ${sent} of ${changes(max)} sent`,
    hint: 'nothing was sent; a person can restart the server with a higher --max-writes, or without it for no limit',
    next: suggestCommand(words, { settings, flags }),
  });
}

/** Makes a change and counts it, unless nothing of it was sent. Parallel calls cannot exceed the limit. */
export async function countWrite<T>(
  permissions: McpPermissions,
  settings: Settings,
  work: () => Promise<T>,
): Promise<T> {
  checkWrites(permissions, settings);
  const { writes } = permissions;
  writes.sent++;
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.facts.sent !== true) writes.sent--;
    throw error;
  }
}
