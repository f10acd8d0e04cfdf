// One call of a tool: validates the input, opens the service with the current token, calls like a command, and answers
// with data or a failure. Neither holds a secret.

import { isChange, type Operation, type Input } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { issuesOf } from '../../api/schema/rules.ts';
import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { isObject, mapTexts, toJson } from '../../base/json.ts';
import type { Runtime, Secrets } from '../../base/runtime.ts';
import type { Semaphore } from '../../base/semaphore.ts';
import { toRequest } from '../../client/build-request.ts';
import type { CallContext } from '../../client/call-context.ts';
import { createCallContext } from '../../client/call-operation.ts';
import { baseUrlOf, openService } from '../../client/open-service.ts';
import { readConfig } from '../../config/file.ts';
import { accountFor } from '../../config/accounts.ts';
import { resolveSettings, type Settings } from '../../config/settings.ts';
import { accountFaults } from '../../input/account-platform.ts';
import { secretValuesIn } from '../../input/secret-input.ts';
import { unknownFields } from '../../input/validate-input.ts';
import { asFailure, errorObject, formatFailure } from '../../output/error-report.ts';
import { maskNamed, type SecretPlaces } from '../../output/credentials.ts';
import { oncePerLine } from '../../output/notes.ts';
import { maskSecretFields, redactFailure } from '../../output/redact.ts';
import { callAndWait } from '../../wait/call-and-wait.ts';
import { hooksFor } from '../operation-hooks.ts';
import {
  accountField,
  checkAllowed,
  checkLimit,
  CONFIRM,
  type McpPermissions,
  type RunContext,
  type Tool,
  type ToolRun,
} from './tools.ts';
import { plainColors } from '../../output/color.ts';
import { isUnicode } from '../../output/locale.ts';
import { recordDuring } from '../../history/record-during.ts';

/** The result of a call in the protocol. */
export interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** What all calls share. */
export interface ToolHost extends McpPermissions {
  readonly runtime: Runtime;
  /** Aborts when the client has gone: what is known then is the answer. */
  readonly ending: AbortSignal;
  /** The requests of all calls. */
  readonly requests: Semaphore;
  /** Where results hold credentials. */
  readonly places: SecretPlaces;
  /** Receives each change with an unknown outcome, without secrets. */
  readonly onUnknown: (failure: Failure) => void;
  /** Receives the data of each call that succeeded. */
  readonly onAnswer: (operation: Operation, input: Input, data: unknown) => void;
}

/** Connections of a tool that makes several requests. */
const CONNECTIONS = 8;

/** The settings of this moment. Throws `usage` or `local_io` where they are invalid. */
export function currentSettings({ runtime, flags }: Pick<ToolHost, 'runtime' | 'flags'>): Settings {
  const config = readConfig(runtime);
  const { settings, faults, unknownContext } = resolveSettings(flags, runtime.env, config);
  const all = unknownContext === undefined ? faults : [...faults, unknownContext];
  if (all.length > 0) throw usageFailure(all);
  // A call shows no progress on standard error.
  return { ...settings, quiet: true };
}

/** Calls a tool until the client cancels it. Never rejects: a failure is an answer too. */
export async function callTool(
  tool: Tool,
  given: Input,
  host: ToolHost,
  cancelled: AbortSignal,
): Promise<ToolResult> {
  const { runtime, requests } = host;
  const receivedAt = runtime.monotonic();
  const { signal, release } = eitherOf(runtime.signal, cancelled);
  const forget = [runtime.secrets.add(secretValuesIn(fieldsOf(tool.operation), given))];
  const secrets: Secrets = {
    ...runtime.secrets,
    add(more) {
      const each = runtime.secrets.add(more);
      forget.push(each);
      return each;
    },
  };
  // A change that was sent is cancelled only by a signal of the program, not by the client.
  const own = { ...runtime, secrets, signal: isChange(tool.operation) ? runtime.signal : signal };
  const turn: RunContext['turn'] = (request, sooner = signal) => requests.run(sooner, request);
  try {
    const call = () => answer(tool, given, { ...host, runtime: own, turn, receivedAt });
    // A tool that makes several requests takes a place for each of them.
    return await (tool.run === undefined ? turn(call) : call());
  } catch (error) {
    return failedResult(asFailure(error), host);
  } finally {
    release();
    for (const each of forget) each();
  }
}

/** A signal that aborts with the program's or with the client's cancellation. `release` removes the listeners. */
function eitherOf(signal: AbortSignal, unwanted: AbortSignal) {
  const either = new AbortController();
  const what = 'cancelled by the client; nothing was sent';
  const cancelled = new Failure('interrupted', { what });
  const end = () => either.abort(signal.aborted ? signal.reason : cancelled);
  const release = new AbortController();
  for (const each of [signal, unwanted])
    each.addEventListener('abort', end, { once: true, signal: release.signal });
  if (signal.aborted || unwanted.aborted) end();
  return { signal: either.signal, release: () => release.abort() };
}

type OneCall = ToolHost & Omit<RunContext, 'callContext'>;

async function answer(tool: Tool, given: Input, host: OneCall): Promise<ToolResult> {
  const { operation } = tool;
  const settings = currentSettings(host);
  checkAllowed(operation, host, settings, given);
  const notes: string[] = [];
  const note = oncePerLine((line) => void notes.push(line));
  const input = await inputOf(operation, given, settings, note);
  const misplaced = accountFaults(operation, fieldsOf(operation), settings, host.runtime)(input);
  if (misplaced.length > 0) throw usageFailure(misplaced);
  if (settings.dryRun) return toolResult(dryRunOf(tool, input, settings), ['nothing was sent']);
  const own = { ...host, runtime: { ...host.runtime, note } };
  const { data, failure } = await send(tool, input, settings, own);
  const { mask } = host.runtime.secrets;
  const shown = mapTexts(maskNamed(data, host.places.isSecretAt(operation.path)), mask);
  const lines = notes.map(mask);
  return failure === undefined
    ? toolResult(shown, lines)
    : failedResult(failure, host, shown as object, lines);
}

/** A failure as an answer, with data where there is some. */
function failedResult(
  failure: Failure,
  { runtime, onUnknown }: ToolHost,
  data: object = {},
  notes: readonly string[] = [],
): ToolResult {
  const { mask } = runtime.secrets;
  const safe = redactFailure(failure, mask);
  if (failure.outcome === 'unknown') onUnknown(safe);
  const tone = plainColors(isUnicode(runtime.env));
  const text = formatFailure(failure, { json: false, debug: false, tone, redact: mask });
  const { error } = errorObject(safe) as { readonly error: object };
  const structuredContent = { ...data, ok: false, error: mapTexts(error, mask) };
  const result = toolResult(structuredContent, notes);
  return { ...result, isError: true, content: [textOf(text), ...result.content] };
}

/** The complete, valid input of a call. Throws `usage` with all its faults. */
async function inputOf(
  operation: Operation,
  given: Input,
  settings: Settings,
  note: (line: string) => void,
): Promise<Input> {
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
  return (await hooksFor(operation.command)).complete?.(own, note) ?? own;
}

/** The request that would be sent, or those of a tool that makes several. */
function dryRunOf({ operation, requests }: Tool, input: Input, settings: Settings): object {
  const plain = maskSecretFields(fieldsOf(operation), input);
  const address = { baseUrl: baseUrlOf(settings), query: settings.query };
  const requestOf = (each: Input) => {
    const { method, url, body } = toRequest(operation, each, address);
    const parsed = body === undefined ? {} : { body: JSON.parse(body) as unknown };
    return { method, url, ...parsed };
  };
  if (requests === undefined) return { dryRun: true, ...requestOf(plain) };
  return { dryRun: true, requests: requests(plain).map(requestOf) };
}

/** Calls with the current token; a change is recorded in the history like that of a command. */
async function send(
  { operation, run }: Tool,
  input: Input,
  settings: Settings,
  host: OneCall,
): ReturnType<ToolRun> {
  const { runtime, flags, onAnswer } = host;
  // Notes on opening the service would repeat with each call.
  const quiet = { ...runtime, note: () => undefined };
  const connections = run === undefined ? undefined : CONNECTIONS;
  const service = await openService(settings, quiet, connections);
  try {
    const command = `social ${operation.command}`;
    const options = { operation, hooks: {}, command, paths: [], settings, flags };
    const context = await createCallContext(options, service, quiet);
    const callContext = { ...context, runtime };
    if (run !== undefined) return await run(input, { ...host, callContext });
    const watched = isChange(operation) ? await watch(operation, input, context) : undefined;
    let data: unknown;
    await recordDuring(watched, async () => {
      const call = { ...callContext, change: watched?.watch };
      const work = async () => ({ data } = await callAndWait(call, undefined, input));
      await (isChange(operation) ? withinLimit(host, settings, work) : work());
    });
    onAnswer(operation, input, data);
    return { data: data as object };
  } finally {
    await service.close();
  }
}

/** The record of a change. The agent's own client asks before it. */
async function watch(operation: Operation, input: Input, callContext: CallContext) {
  const { changeTarget, observeChange } = await import('../../history/recorder.ts');
  const command = operation.command.replace(/\{(\w+)\}/g, (_all, name: string) =>
    String(input[name]),
  );
  const targetOf = () => changeTarget(fieldsOf(operation), input);
  return observeChange({ command, by: 'agent', targetOf, operation }, callContext);
}

/** Counts a change, unless nothing of it left this machine. */
async function withinLimit(
  permissions: McpPermissions,
  settings: Settings,
  work: () => Promise<unknown>,
): Promise<void> {
  checkLimit(permissions, settings);
  const giveBack = permissions.limit.take();
  try {
    await work();
  } catch (error) {
    if (error instanceof Failure && error.facts.sent !== true) giveBack();
    throw error;
  }
}

const textOf = (text: string) => ({ type: 'text' as const, text });

/** The text keeps the digits of each number; structured content has those of a double, as JSON's readers do. */
function toolResult(data: unknown, notes: readonly string[]): ToolResult {
  const text = toJson(data ?? null);
  return {
    content: [text, ...notes].map(textOf),
    ...(isObject(data) ? { structuredContent: JSON.parse(text) as Record<string, unknown> } : {}),
  };
}
