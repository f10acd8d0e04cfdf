// One call of a tool: the input judged, the service opened with the token of this moment, the same call as that of a
// command, the answer as data. A failure is an answer too. No secret comes back in either.

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
import { resolveSettings, type Settings } from '../../config/settings.ts';
import { secretValuesIn } from '../../input/secret-input.ts';
import { asFailure, errorObject, formatFailure } from '../../output/error-report.ts';
import { redactJson, maskSecretFields, redactFailure } from '../../output/redact.ts';
import { callAndWait } from '../../wait/call-and-wait.ts';
import { hooksFor } from '../operation-hooks.ts';
import { accountField, checkAllowed, CONFIRM, type McpPermissions } from './tools.ts';
import type { RawFlags } from '../../config/choices.ts';
import { colorsFor } from '../../output/stream-colors.ts';
import { recordDuring } from '../../history/record-during.ts';

/** What the protocol calls the result of a call. */
export interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** What calls are made with. */
export interface ToolHost {
  readonly runtime: Runtime;
  readonly flags: RawFlags;
  readonly grant: McpPermissions;
  /** Told of each change that may have happened and may not, with no secret in it. */
  readonly onUnknown: (failure: Failure) => void;
}

/** The settings as they are now. Throws `usage` or `local_io` where they cannot be used. */
export function settingsNow({ runtime, flags }: ToolHost): Settings {
  const { settings, faults, unknownContext } = resolveSettings(
    flags,
    runtime.env,
    readConfig(runtime),
  );
  const all = [...faults, ...(unknownContext === undefined ? [] : [unknownContext])];
  if (all.length > 0) throw usageFailure(all);
  // Notes would be said anew with each call; those about the answer go into the answer.
  return { ...settings, quiet: true };
}

/** Calls an operation with the arguments of a tool. Never rejects: a failure is told as one. */
export async function callTool(
  operation: Operation,
  given: Input,
  host: ToolHost,
): Promise<ToolResult> {
  const fields = fieldsOf(operation);
  const { runtime } = host;
  const { add, mask } = runtime.secrets;
  const forget = [add(secretValuesIn(fields, given))];
  const secrets: Secrets = {
    mask,
    add(more) {
      const each = add(more);
      forget.push(each);
      return each;
    },
  };
  try {
    return await answered(operation, given, { ...host, runtime: { ...runtime, secrets } });
  } catch (error) {
    return await failedResult(asFailure(error), host);
  } finally {
    for (const each of forget) each();
  }
}

async function answered(operation: Operation, given: Input, host: ToolHost): Promise<ToolResult> {
  const settings = settingsNow(host);
  checkAllowed(operation, host.grant, settings, given);
  const notes: string[] = [];
  const input = inputOf(operation, given, settings, (line) => void notes.push(line));
  if (settings.dryRun) return told(rehearsed(operation, input, settings), ['nothing was sent']);
  const { data, warnings } = await sent(operation, input, settings, host);
  const shown = isMap(data) ? maskSecretFields(fieldsOf(operation), data) : data;
  const { mask } = host.runtime.secrets;
  return told(redactJson(shown, mask), [...notes, ...warnings].map(mask));
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

/** The input of a call, complete and valid. Throws `usage` with all that is wrong with it. */
function inputOf(
  operation: Operation,
  given: Input,
  { account }: Settings,
  note: (line: string) => void,
): Input {
  const field = accountField(operation);
  const { [CONFIRM]: _consent, ...rest } = given;
  const plain = operation.danger === undefined ? given : rest;
  const own: Input =
    field === undefined || account === undefined || plain[field] !== undefined
      ? plain
      : { ...plain, [field]: account };
  const faults = issuesOf(operation.input, own).flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ field: key, problem: 'is not an input of this tool' }));
    const [name] = issue.path;
    const missing = own[String(name)] === undefined;
    return [{ field: issue.path.join('.'), problem: missing ? 'is required' : issue.message }];
  });
  const idle = operation.method === 'PATCH' && Object.keys(own).length < 2;
  if (idle) faults.push({ field: 'input', problem: 'has nothing to change' });
  if (faults.length > 0) throw usageFailure(faults);
  return hooksFor(operation.command).complete?.(own, note) ?? own;
}

/** The request as it would leave. */
function rehearsed(operation: Operation, input: Input, settings: Settings): object {
  const plain = maskSecretFields(fieldsOf(operation), input);
  const address = { baseUrl: locationOf(settings).baseUrl, query: settings.query };
  const { method, url, body } = toRequest(operation, plain, address);
  return {
    dryRun: true,
    method,
    url,
    ...(body === undefined ? {} : { body: JSON.parse(body) as unknown }),
  };
}

/** Makes the call, with the token as it is now; a change is written down like that of a command. */
async function sent(
  operation: Operation,
  input: Input,
  settings: Settings,
  { runtime }: ToolHost,
): Promise<{ readonly data: unknown; readonly warnings: readonly string[] }> {
  const service = await openService(locationOf(settings), settings, runtime);
  try {
    const command = `social ${operation.command}`;
    const options = { operation, hooks: {}, command, paths: [], settings, flags: {} };
    const callContext = await createCallContext(options, service, runtime);
    const warnings: string[] = [];
    const note = (line: string) => void warnings.push(line);
    const watched = isChange(operation)
      ? (await import('../../history/change-observer.ts')).observeToolChange(
          operation,
          input,
          callContext,
        )
      : undefined;
    let data: unknown;
    await recordDuring(watched?.record, async () => {
      ({ data } = await callAndWait(
        { ...callContext, runtime: { ...runtime, note }, change: watched?.watch },
        undefined,
        input,
      ));
    });
    return { data, warnings };
  } finally {
    await service.close();
  }
}

function told(data: unknown, notes: readonly string[]): ToolResult {
  return {
    content: [toJson(data ?? null), ...notes].map((text) => ({ type: 'text' as const, text })),
    ...(isMap(data) ? { structuredContent: data } : {}),
  };
}
