// The operations as tools of the protocol (name, description, JSON Schema, annotations), and which of them an agent may
// call. It reads; it changes something only with --allow-writes; to delete or disable, it repeats the id. In a
// protected context, where no prompt is possible, nothing is deleted.

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
import type { CallContext } from '../../client/call-context.ts';
import type { RawFlags } from '../../config/choices.ts';
import { suggestCommand } from '../../config/flags.ts';
import type { Settings } from '../../config/settings.ts';
import type { WriteLimit } from './write-limit.ts';

export interface Tool {
  readonly name: string;
  /** What the tool is listed as, and what a plain call sends. */
  readonly operation: Operation;
  /** The inputs of the requests of a tool that makes several; that of the tool otherwise. */
  readonly requests?: (input: Input) => readonly Input[];
  /** Set for a tool that is more than one request. It only reads. */
  readonly run?: ToolRun;
}

/** Makes the requests of a tool. A failure besides data is an answer that has both. */
export type ToolRun = (
  input: Input,
  context: RunContext,
) => Promise<{ readonly data: object; readonly failure?: Failure }>;

export interface RunContext {
  readonly callContext: CallContext;
  /** When the call came, by the monotonic clock. */
  readonly receivedAt: number;
  /**
   * Makes one request when its turn comes among those of all calls, unless the signal of the call, or this one, aborts.
   */
  turn<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Aborts when the client has gone: what is known then is the answer. */
  readonly ending: AbortSignal;
}

/** The field that repeats the id, where a call deletes or disables. */
export const CONFIRM = 'confirm';

/** `posts_get`, `accounts_bluesky_send`: the area, and the operation's own name. */
export function toolOf(area: AreaName, name: string, operation: Operation): Tool {
  return { name: `${area}_${kebab(name).replaceAll('-', '_')}`, operation };
}

/** A tool as the protocol lists it. `account` is the default of a call without one. */
export function describeTool({ name, operation }: Tool, account: string | undefined) {
  const { details, danger, method, path } = operation;
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
    ].join('\n'),
    inputSchema: { ...schemaOf(operation, account), type: 'object' as const },
    annotations: {
      title,
      readOnlyHint: !isChange(operation),
      // Setting a value overwrites the one before.
      destructiveHint: danger !== undefined || mutation === 'set',
      idempotentHint: mutation === 'none' || mutation === 'idempotent',
      openWorldHint: true,
    },
  };
}

/** The title of an operation that has several commands names them all. */
function titleOf(operation: Operation): string {
  const spellings = commandNamesOf(operation);
  const [{ summary }] = spellings as [(typeof spellings)[0]];
  if (spellings.length === 1) return summary;
  const [first = '', ...rest] = spellings.map(({ words }) => words.at(-1)!);
  const capital = first.charAt(0).toUpperCase() + first.slice(1);
  return summary.replace(new RegExp(`^${first}`, 'i'), [capital, ...rest].join(', '));
}

/** The input as JSON Schema, with the field that confirms. */
function schemaOf(operation: Operation, account: string | undefined): JsonSchema {
  const { $schema: _dialect, ...schema } = inputSchema(operation);
  const optional = account === undefined ? undefined : accountField(operation);
  const required = (schema['required'] as readonly string[]).filter((each) => each !== optional);
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>>;
  const withDefault = (field: string) => ({ [field]: { ...properties[field], default: account } });
  const known = { ...properties, ...(optional === undefined ? {} : withDefault(optional)) };
  if (operation.danger === undefined) return { ...schema, properties: known, required };
  const id = idField(operation);
  const confirm = { type: 'string', description: `Confirmation: repeat the ${id}` };
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

/** What the server was started with. */
export interface McpPermissions {
  readonly flags: RawFlags;
  readonly limit: WriteLimit;
}

/** Whether a tool is listed. */
export const isExposed = (
  operation: Operation,
  permissions: McpPermissions,
  settings: Settings,
): boolean => refusal(operation, permissions, settings) === undefined;

/** Throws `usage` where the call may not be made. */
export function checkAllowed(
  operation: Operation,
  permissions: McpPermissions,
  settings: Settings,
  given: Input,
): void {
  const refused = refusal(operation, permissions, settings);
  if (refused !== undefined) throw refused;
  if (isChange(operation) && !settings.dryRun) checkLimit(permissions, settings);
  if (operation.danger === undefined) return;
  const id = idField(operation);
  const confirmed = given[CONFIRM];
  if (typeof confirmed === 'string' && confirmed === given[id]) return;
  const problem =
    confirmed === undefined ? 'is required' : `must repeat the ${id}, got another text`;
  throw usageFailure({ field: CONFIRM, problem, fix: `repeat the ${id}; ${operation.danger}` });
}

/** Throws `usage` when no further change may be sent. */
export const checkLimit = ({ limit, flags }: McpPermissions, settings: Settings): void =>
  limit.check((higher) => {
    const yes = settings.yes ? ' --yes' : '';
    const words = `mcp serve --allow-writes${yes} --max-writes ${higher}`;
    return suggestCommand(words, { settings, flags });
  });

function refusal(
  operation: Operation,
  { flags }: McpPermissions,
  settings: Settings,
): Failure | undefined {
  if (!isChange(operation)) return undefined;
  const serve = (more: string) => suggestCommand(`mcp serve ${more}`, { settings, flags });
  if (flags['allowWrites'] !== true)
    return new Failure('usage', {
      what: 'this server is read-only',
      hint: 'start it with --allow-writes',
      next: serve('--allow-writes'),
    });
  if (settings.stored?.protected !== true) return undefined;
  const where = `the context ${settings.context!} is protected`;
  if (operation.danger !== undefined)
    return new Failure('usage', {
      what: `${where}: a person must delete or disable there`,
      hint: 'use the command line',
    });
  if (settings.yes) return undefined;
  return new Failure('usage', {
    what: `${where}: changes need a person’s consent`,
    hint: 'start the server with --yes to allow it',
    next: serve('--allow-writes --yes'),
  });
}
