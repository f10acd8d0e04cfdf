// One call of a tool: validates the input, opens the service with the current token, calls like a command, and answers
// with data or a failure. Neither holds a secret.

import { isChange, type Operation, type Input } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { issuesOf } from '../../api/schema/compile-validator.ts';
import { type Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { isMap, toJson } from '../../base/json.ts';
import type { Runtime, Secrets } from '../../base/runtime.ts';
import { toRequest } from '../../client/build-request.ts';
import { createCallContext } from '../../client/call-operation.ts';
import { openService, locationOf } from '../../client/open-service.ts';
import { readConfig } from '../../config/file.ts';
import { isName } from '../../config/name-file.ts';
import { accountFor } from '../../config/accounts.ts';
import { resolveSettings, type Settings } from '../../config/settings.ts';
import { accountFaults } from '../../input/account-platform.ts';
import { namesOfCall } from '../../input/names.ts';
import { secretValuesIn } from '../../input/secret-input.ts';
import { unknownFields } from '../../input/validate-input.ts';
import { asFailure, errorObject, formatFailure } from '../../output/error-report.ts';
import { redactJson, maskSecretFields, redactFailure } from '../../output/redact.ts';
import { callAndWait } from '../../wait/call-and-wait.ts';
import { hooksFor } from '../operation-hooks.ts';
import { accountField, checkAllowed, CONFIRM, type McpPermissions } from './tools.ts';
import type { RawFlags } from '../../config/choices.ts';
import { colorsFor } from '../../output/stream-colors.ts';
import { recordDuring } from '../../history/record-during.ts';

/** The result of a call in the protocol. */
export interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

export interface ToolHost {
  readonly runtime: Runtime;
  readonly flags: RawFlags;
  readonly grant: McpPermissions;
  /** Receives each change with an unknown outcome, without secrets. */
  readonly onUnknown: (failure: Failure) => void;
}

/** The settings of this moment. Throws `usage` or `local_io` where they are invalid. */
export function currentSettings({ runtime, flags }: ToolHost): Settings {
  const { settings, faults, unknownContext } = resolveSettings(
    flags,
    runtime.env,
    readConfig(runtime),
  );
  const all = [...faults, ...(unknownContext === undefined ? [] : [unknownContext])];
  if (all.length > 0) throw usageFailure(all);
  const account = settings.account && accountNamed(settings.account, settings, runtime);
  // A call shows no progress on standard error.
  return { ...settings, account, quiet: true };
}

/** A variable may hold a name; the arguments of a tool are IDs, as its schema says. */
function accountNamed(account: string, settings: Settings, runtime: Runtime): string {
  if (!isName(account)) return account;
  const id = namesOfCall(undefined, settings, runtime).find(account, settings.accountFrom!);
  if (typeof id !== 'string') throw usageFailure([id]);
  return id;
}

/** Calls an operation with the arguments of a tool. Never rejects: a failure is an answer too. */
export async function callTool(
  operation: Operation,
  given: Input,
  host: ToolHost,
): Promise<ToolResult> {
  const { runtime } = host;
  const { add, mask } = runtime.secrets;
  const forget = [add(secretValuesIn(fieldsOf(operation), given))];
  const secrets: Secrets = {
    mask,
    add(more) {
      const each = add(more);
      forget.push(each);
      return each;
    },
  };
  try {
    return await answer(operation, given, { ...host, runtime: { ...runtime, secrets } });
  } catch (error) {
    return await failedResult(asFailure(error), host);
  } finally {
    for (const each of forget) each();
  }
}

async function answer(operation: Operation, given: Input, host: ToolHost): Promise<ToolResult> {
  const settings = currentSettings(host);
  checkAllowed(operation, host.grant, settings, given);
  const notes: string[] = [];
  const note = (line: string) => void notes.push(line);
  const input = inputOf(operation, given, settings, note);
  const misplaced = accountFaults(operation, fieldsOf(operation), settings, host.runtime)(input);
  if (misplaced.length > 0) throw usageFailure(misplaced);
  if (settings.dryRun)
    return toolResult(dryRunOf(operation, input, settings), ['nothing was sent']);
  const data = await send(operation, input, settings, { ...host.runtime, note });
  const shown = isMap(data) ? maskSecretFields(fieldsOf(operation), data) : data;
  const { mask } = host.runtime.secrets;
  return toolResult(redactJson(shown, mask), notes.map(mask));
}

/** A failure as an answer. */
export async function failedResult(
  failure: Failure,
  { runtime, onUnknown }: ToolHost,
): Promise<ToolResult> {
  const { mask } = runtime.secrets;
  if (failure.outcome === 'unknown') onUnknown(redactFailure(failure, mask));
  const tone = await colorsFor(
    { ...runtime.stderr, isTTY: false },
    { color: { choice: 'never', typed: true } },
    runtime,
  );
  const text = formatFailure(failure, { json: false, debug: false, tone, redact: mask });
  const structuredContent = redactJson(errorObject(redactFailure(failure, mask)), mask) as Record<
    string,
    unknown
  >;
  return { isError: true, content: [{ type: 'text', text }], structuredContent };
}

/** The complete, valid input of a call. Throws `usage` with all its faults. */
function inputOf(
  operation: Operation,
  given: Input,
  settings: Settings,
  note: (line: string) => void,
): Input {
  const account = accountFor(settings, operation.platform)?.id;
  const field = accountField(operation);
  const { [CONFIRM]: _consent, ...rest } = given;
  const plain = operation.danger === undefined ? given : rest;
  const own: Input =
    field === undefined || account === undefined || plain[field] !== undefined
      ? plain
      : { ...plain, [field]: account };
  const faults = issuesOf(operation.input, own).flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys') return [unknownFields(issue.keys)];
    const [name] = issue.path;
    const missing = own[String(name)] === undefined;
    return [{ field: issue.path.join('.'), problem: missing ? 'is required' : issue.message }];
  });
  if (operation.method === 'PATCH' && Object.keys(own).length < 2)
    faults.push({ field: 'input', problem: 'has nothing to change' });
  if (faults.length > 0) throw usageFailure(faults);
  return hooksFor(operation.command).complete?.(own, note) ?? own;
}

/** The request that would be sent. */
function dryRunOf(operation: Operation, input: Input, settings: Settings): object {
  const plain = maskSecretFields(fieldsOf(operation), input);
  const address = { baseUrl: locationOf(settings).baseUrl, query: settings.query };
  const { method, url, body } = toRequest(operation, plain, address);
  const parsed = body === undefined ? {} : { body: JSON.parse(body) as unknown };
  return { dryRun: true, method, url, ...parsed };
}

/** Calls with the current token; a change is recorded in the history like that of a command. */
async function send(
  operation: Operation,
  input: Input,
  settings: Settings,
  runtime: Runtime,
): Promise<unknown> {
  // Notes on opening the service would repeat with each call.
  const quiet = { ...runtime, note: () => undefined };
  const service = await openService(locationOf(settings), settings, quiet);
  try {
    const command = `social ${operation.command}`;
    const options = { operation, hooks: {}, command, paths: [], settings, flags: {} };
    const context = await createCallContext(options, service, quiet);
    const watched = isChange(operation)
      ? (await import('../../history/change-observer.ts')).observeToolChange(
          operation,
          input,
          context,
        )
      : undefined;
    let data: unknown;
    await recordDuring(watched?.record, async () => {
      const call = { ...context, runtime, change: watched?.watch };
      ({ data } = await callAndWait(call, undefined, input));
    });
    return data;
  } finally {
    await service.close();
  }
}

function toolResult(data: unknown, notes: readonly string[]): ToolResult {
  return {
    content: [toJson(data ?? null), ...notes].map((text) => ({ type: 'text' as const, text })),
    ...(isMap(data) ? { structuredContent: data } : {}),
  };
}
