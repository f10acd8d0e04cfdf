// The tools as data: each operation, `posts triage` and `posts wait` with a name, texts, a schema, and the command line
// that a call stands for.

import * as z from 'zod/mini';
import {
  type Input,
  isChange,
  isIdempotent,
  type Operation,
} from '../../api/operations/define-operation.ts';
import { commandNamesOf, fieldsOf } from '../../api/operations/fields.ts';
import { inputSchema } from '../../api/operations/json-schema.ts';
import { everyOperation } from '../../api/operations/registry.ts';
import { accountId, ResourceIds } from '../../api/schema/ids.ts';
import { described, enumeration, NonEmpty } from '../../api/schema/rules.ts';
import { accountFor, type Settings } from '../../config/settings.ts';
import { triageKeys, triageOperation } from '../posts/triage.ts';
import { waitOperation } from '../posts/wait.ts';

export interface Tool {
  readonly name: string;
  /** The operation of its command, with the input and the texts of the tool. */
  readonly operation: Operation;
}

/** A wait returns before a client's usual timeout of a minute. */
const MAX_SECONDS = 45;

const rule = `must be a whole number from 1 to ${MAX_SECONDS}`;
const Seconds = z
  .string(rule)
  .check(z.refine((text) => /^[1-9]\d?$/.test(text) && Number(text) <= MAX_SECONDS, rule))
  .register(z.globalRegistry, { type: 'integer', minimum: 1, maximum: MAX_SECONDS });

const postIds = described(
  ResourceIds.check(z.maxLength(100, 'may have at most 100 ids')),
  'Post IDs',
  { argument: 'many' },
);
const by = z.optional(described(enumeration(triageKeys), 'What to group by (default cause)'));

/** The details of tools that differ from those of their commands. */
const ownDetails: Readonly<Record<string, string>> = {
  posts_retry:
    'Without targetIds it retries what failed, except targets that may be published already.',
  posts_triage:
    'The cause is a guess from the error: temporary, reconnect, content, platform, unsure or other. Each item of `records` is an input for posts_retry; retry only those of the group temporary. Those of the group unsure may be published already: a person has to look at the account first.',
  posts_wait: `Answers within ${MAX_SECONDS} seconds. An error of the kind still_pending means that it goes on: call the tool again with the same input.`,
};

/** Returns all tools, also those that change something. The settings have the account of a call that names none. */
export async function allTools(settings: Settings): Promise<readonly Tool[]> {
  const operations = (await everyOperation()).map(({ operation }) =>
    toolOf(operation.command.replaceAll(/[{}]/g, '').replaceAll(/[ -]/g, '_'), operation, settings),
  );
  const triage = { ...triageOperation, input: z.strictObject({ postIds, by }) };
  const wait = toolOf('posts_wait', waitOperation, settings);
  return [...operations, toolOf('posts_triage', triage, settings), wait];
}

function toolOf(name: string, operation: Operation, settings: Settings): Tool {
  const { danger, platform, wait } = operation;
  const shape = { ...operation.input.shape };
  const account = accountFor(settings, platform)?.id;
  for (const [field, schema] of Object.entries(shape))
    if (schema === accountId && account !== undefined)
      shape[field] = described(z.optional(accountId), `Account ID (default ${account})`);
  if (danger !== undefined)
    shape['confirm'] = described(NonEmpty, `Confirmation: repeat the ${Object.keys(shape)[0]!}`);
  // A change is waited for by another tool, so that a wait that is cancelled leaves no change without an answer.
  if (wait !== undefined && !isChange(operation))
    shape['maxSeconds'] = described(
      z.optional(Seconds),
      `${wait.summary}, but at most this many seconds (1 to ${MAX_SECONDS})`,
      { flag: 'wait-timeout', placeholder: 'seconds' },
    );
  const input = z.strictObject(shape);
  return {
    name,
    operation: { ...operation, details: ownDetails[name] ?? operation.details, input },
  };
}

/** Returns the flags of a call's line that no field stands for. */
export function moreFlags({ name }: Tool, { targetIds, maxSeconds }: Input): readonly string[] {
  if (name === 'posts_retry') return targetIds === undefined ? ['--failed'] : [];
  if (name !== 'posts_wait') return maxSeconds === undefined ? [] : ['--wait'];
  const limit = maxSeconds === undefined ? [`--wait-timeout=${MAX_SECONDS}s`] : [];
  return ['--interval=1s', ...limit];
}

/** Puts the names of fields in the place of their flags, which an agent does not have. */
export const inFieldNames = ({ operation }: Tool, text: string): string =>
  fieldsOf(operation).reduce((all, { flag, name }) => all.replaceAll(`--${flag}`, name), text);

/** Describes a tool for the protocol. */
export function describeTool(tool: Tool) {
  const { operation } = tool;
  const { summary, details, danger, method, path, onlySetsValues } = operation;
  const actions = commandNamesOf(operation).map(({ words }) => words.at(-1));
  const words = summary.replace(/\{\w+\}/, actions.join(', '));
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  const sent = isChange(operation) ? `Sends ${method} ${path}.` : undefined;
  const lines = [`${title}.`, details, danger, sent].filter((line) => line !== undefined);
  const { $schema: _dialect, ...schema } = inputSchema(operation);
  return {
    name: tool.name,
    title,
    description: inFieldNames(tool, lines.join('\n')),
    inputSchema: { ...schema, type: 'object' as const },
    annotations: {
      readOnlyHint: !isChange(operation),
      // Setting a value overwrites the previous one.
      destructiveHint: danger !== undefined || onlySetsValues,
      idempotentHint: isIdempotent(operation),
    },
  };
}
