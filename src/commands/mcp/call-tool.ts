// One call of a tool: validates the input, opens the service with the current token, calls like a command, and returns
// data or a failure, both without secrets.

import { type Input, isChange, type Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { issuesOf } from '../../api/schema/rules.ts';
import { type Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { isObject, mapTexts, toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { toRequest } from '../../client/build-request.ts';
import { ownRules } from '../../client/taught-causes.ts';
import { callOperation } from '../../client/call-operation.ts';
import { baseUrlOf, type Client, withClient } from '../../client/open-client.ts';
import { readConfig } from '../../config/file.ts';
import { accountFor, resolveSettings, type Settings } from '../../config/settings.ts';
import { changeTarget, recordChange, recordDuring } from '../../history/recorder.ts';
import { secretValuesIn } from '../../input/secret-input.ts';
import { accountFaults, unknownFields, withDefaults } from '../../input/validate-input.ts';
import { maskNamed, type SecretPlaces } from '../../output/redact-by-name.ts';
import { asFailure, errorObject } from '../../output/error-report.ts';
import { oncePerLine } from '../../output/notes.ts';
import { maskSecretFields, redactFailure } from '../../output/redact.ts';
import {
  accountField,
  type Answer,
  checkAllowed,
  CONFIRM,
  countWrite,
  type McpPermissions,
  type Tool,
} from './tools.ts';

/** The result of a call in the protocol. */
interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** The parts that all calls share. */
export interface ToolHost extends McpPermissions {
  readonly runtime: Runtime;
  /** The places of credentials in results. */
  readonly places: SecretPlaces;
  /** Receives each change with an unknown outcome, without secrets. */
  readonly onUnknown: (failure: Failure) => void;
  /** Receives the data of each change that succeeded. */
  readonly onChange: (operation: Operation, input: Input, data: unknown) => void;
}

/** The maximum number of connections of a tool that makes several requests. */
const CONNECTIONS = 8;

/** Reads the current settings. Throws `usage` or `local_io` if they are invalid. */
export function currentSettings({ runtime, flags }: Pick<ToolHost, 'runtime' | 'flags'>): Settings {
  const config = readConfig(runtime);
  const { settings, faults, unknownContext } = resolveSettings(flags, runtime.env, config);
  const all = unknownContext === undefined ? faults : [...faults, unknownContext];
  if (all.length > 0) throw usageFailure(all);
  // A call shows no progress on standard error.
  return { ...settings, quiet: true };
}

/** Calls a tool until the client cancels it. Never rejects: a failure is a result too. */
export async function callTool(
  tool: Tool,
  args: Input,
  host: ToolHost,
  cancelled: AbortSignal,
): Promise<ToolResult> {
  const { runtime, places, onUnknown } = host;
  const { operation } = tool;
  const { secrets } = runtime;
  const forget = secrets.add(secretValuesIn(fieldsOf(operation), args));
  const notes: string[] = [];
  try {
    const note = oncePerLine((line) => void notes.push(secrets.mask(line)));
    // A change that was sent is stopped by a signal of the program, not by the client.
    const signal = isChange(operation)
      ? runtime.signal
      : AbortSignal.any([runtime.signal, cancelled]);
    const calling = { ...host, runtime: { ...runtime, note, signal } };
    const { data, failure } = await call(tool, args, calling).catch((error: unknown): Answer => ({
      data: undefined,
      failure: asFailure(error),
    }));
    const shown = mapTexts(maskNamed(data, places.isSecretAt(operation.path)), secrets.mask);
    if (failure === undefined) return toolResult(shown, notes);
    const safe = redactFailure(failure, secrets.mask);
    if (failure.outcome === 'unknown') onUnknown(safe);
    const error = mapTexts(errorObject(safe), secrets.mask) as object;
    return { ...toolResult({ ...(shown as object), ...error }, notes), isError: true };
  } finally {
    forget();
  }
}

/** Returns the data as JSON text, and as structured content. */
function toolResult(data: unknown, notes: readonly string[]): ToolResult {
  const texts = [toJson(data ?? null), ...notes];
  return {
    content: texts.map((text) => ({ type: 'text' as const, text })),
    ...(isObject(data) ? { structuredContent: data } : {}),
  };
}

async function call(tool: Tool, args: Input, host: ToolHost): Promise<Answer> {
  const { operation, run } = tool;
  const { runtime, flags } = host;
  const settings = currentSettings(host);
  checkAllowed(operation, host, settings, args);
  const input = await inputOf(operation, args, settings, runtime);
  if (settings.dryRun) return { data: dryRunOf(tool, input, settings) };
  const connections = run === undefined ? undefined : CONNECTIONS;
  const causeRules = run === undefined ? [] : ownRules(runtime);
  const options = { settings, flags, causeRules, connections };
  // Notes on opening the service would be repeated with each call.
  const quiet = { ...runtime, note: () => undefined };
  return withClient(options, quiet, async (opened) => {
    const client = { ...opened, runtime };
    if (run !== undefined) return run(input, client);
    if (!isChange(operation)) return callOperation(client, operation, input);
    const answer = await countWrite(host, settings, () => change(operation, input, client));
    host.onChange(operation, input, answer.data);
    return answer;
  });
}

/**
 * Makes a change, and records it in the history like that of a command. The agent's own client asks for confirmation.
 */
async function change(operation: Operation, input: Input, client: Client): Promise<Answer> {
  const command = operation.command.replace(/\{(\w+)\}/g, (_all, name: string) =>
    String(input[name]),
  );
  const targetOf = () => changeTarget(fieldsOf(operation), input);
  const recorded = recordChange({ command, by: 'agent', targetOf, operation }, client);
  let answer: Answer = { data: undefined };
  await recordDuring(recorded, async () => {
    answer = await callOperation(client, operation, input, { change: recorded });
  });
  return answer;
}

/** Returns the complete, valid input of a call. Throws `usage` with all its faults. */
async function inputOf(
  operation: Operation,
  args: Input,
  settings: Settings,
  runtime: Runtime,
): Promise<Input> {
  const account = accountFor(settings, operation.platform)?.id;
  const field = accountField(operation);
  const { [CONFIRM]: _consent, ...rest } = args;
  const plain = operation.danger === undefined ? args : rest;
  const input: Input =
    field === undefined || account === undefined || plain[field] !== undefined
      ? plain
      : { ...plain, [field]: account };
  const faults = issuesOf(operation.input, input).map((issue): Fault => {
    if (issue.code === 'unrecognized_keys') return unknownFields(issue.keys);
    const [name] = issue.path;
    const missing = input[String(name)] === undefined;
    return { field: issue.path.join('.'), problem: missing ? 'is required' : issue.message };
  });
  if (operation.method === 'PATCH' && Object.keys(input).length < 2)
    faults.push({ field: 'input', problem: 'has nothing to change' });
  if (faults.length > 0) throw usageFailure(faults);
  const misplaced = accountFaults(operation, fieldsOf(operation), settings, runtime)(input);
  if (misplaced.length > 0) throw usageFailure(misplaced);
  return withDefaults(operation, fieldsOf(operation), input, runtime.note);
}

/** Returns the request that would be sent; for a tool with several requests, its input. */
function dryRunOf({ operation, run }: Tool, input: Input, settings: Settings): object {
  const plain = maskSecretFields(fieldsOf(operation), input);
  if (run !== undefined) return { dryRun: true, method: 'GET', path: operation.path, input: plain };
  const address = { baseUrl: baseUrlOf(settings), query: settings.query };
  const { method, url, body } = toRequest(operation, plain, address);
  return { dryRun: true, method, url, ...(body && { body: JSON.parse(body) as unknown }) };
}
