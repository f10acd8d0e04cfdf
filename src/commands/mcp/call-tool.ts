// One call of a tool: checks what the server may do, validates the input, opens the service with the current token,
// calls like a command, and returns data or a failure, both without secrets. An agent may read; it may change something
// only with --allow-writes; to delete or disable, it repeats the ID. In a protected context nothing can be deleted.

import { setMaxListeners } from 'node:events';
import { type Input, isChange, type Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { issuesOf } from '../../api/schema/rules.ts';
import { asFailure, Failure, unsentFailure, usageFailure } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import { isObject, mapTexts, toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { socialLine } from '../../base/shell.ts';
import type { CallOutcome } from '../../client/session.ts';
import { callOperation } from '../../client/call-operation.ts';
import { dryRunRequest } from '../../client/dry-run.ts';
import { type Client, withClient } from '../../client/open-client.ts';
import { readSavedRules } from '../../client/cause-rules.ts';
import { readConfig } from '../../config/file.ts';
import type { RawFlags } from '../../config/flags.ts';
import { accountFor, resolveSettings, type Settings } from '../../config/settings.ts';
import { changeTarget, historyWriterFor, runRecorded } from '../../history/recorder.ts';
import { maskSecretFields, redactFailure, secretValuesIn } from '../../output/redact.ts';
import { unknownFields, completeInput } from '../../input/validate-input.ts';
import { errorObject } from '../../output/error-report.ts';
import { oncePerLine } from '../../output/wrap.ts';
import { maskNamed, type SecretPlaces } from '../../output/redact-by-name.ts';

export interface Tool {
  readonly name: string;
  /** The operation that describes the tool; a call sends its request, unless `run` is set. */
  readonly operation: Operation;
  /** Set for a tool that makes several requests. It only reads. */
  readonly run?: (input: Input, client: Client) => Promise<CallOutcome>;
  /** Called before a change: returns its input, or a result in place of it. */
  readonly before?: (input: Input, client: Client) => Promise<BeforeChange>;
}

export type BeforeChange = { readonly input: Input } | { readonly instead: CallOutcome };

/** The parts that all calls share. */
export interface ToolHost {
  readonly runtime: Runtime;
  readonly flags: RawFlags;
  /** The number of changes that were sent, and its maximum. */
  readonly writes: { sent: number; readonly max: number | undefined };
  /** The places of credentials in results. */
  readonly places: SecretPlaces;
  /** Receives each change with an unknown outcome, without secrets. */
  readonly onUnknown: (failure: Failure) => void;
}

/** The result of a call in the protocol. */
interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** The field that repeats the ID, for a call that deletes or disables. */
export const CONFIRM = 'confirm';

/** The maximum number of parallel requests, and of connections, of a tool that makes several. */
export const CONCURRENCY = 8;

/** Formats `1 change`, `3 changes`. */
export const countOfChanges = (count: number): string => `${count} change${count === 1 ? '' : 's'}`;

/** Returns the field of the account, if the operation has one. */
export const accountField = (operation: Operation): string | undefined =>
  fieldsOf(operation).find(({ fromContext }) => fromContext === 'account')?.name;

/** Returns the field of the ID: the first that is declared. */
export const idField = (operation: Operation): string => Object.keys(operation.input.shape)[0]!;

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
  const note = oncePerLine((line) => void notes.push(secrets.mask(line)));
  // A change that was sent is stopped by a signal of the program, not by the client.
  const signal = isChange(operation)
    ? runtime.signal
    : AbortSignal.any([runtime.signal, cancelled]);
  // Each read of a triage adds a listener.
  setMaxListeners(0, signal);
  try {
    const callHost = { ...host, runtime: { ...runtime, note, signal } };
    const { data, failure } = await runTool(tool, args, callHost).catch(
      (error: unknown): CallOutcome => ({
        data: undefined,
        failure: asFailure(error),
      }),
    );
    const shown = mapTexts(maskNamed(data, places.isSecretAt(operation.path)), secrets.mask);
    if (failure === undefined) return toolResult(shown, notes);
    const safe = redactFailure(failure, secrets.mask);
    if (failure.outcome === 'unknown') onUnknown(safe);
    const error = mapTexts(errorObject(safe), secrets.mask) as object;
    // A failure has an object as its data, or none.
    return { ...toolResult({ ...(shown as object), ...error }, notes), isError: true };
  } finally {
    forget();
  }
}

/** Returns the data as JSON text, with the notes after it, and as structured content. */
function toolResult(data: unknown, notes: readonly string[]): ToolResult {
  const texts = [toJson(data ?? null), ...notes];
  return {
    content: texts.map((text) => ({ type: 'text' as const, text })),
    ...(isObject(data) ? { structuredContent: data } : {}),
  };
}

async function runTool(
  { operation, run, before }: Tool,
  args: Input,
  host: ToolHost,
): Promise<CallOutcome> {
  const { runtime, flags } = host;
  const settings = currentSettings(host);
  const refused = isChange(operation) ? refusal(operation, host, settings) : undefined;
  if (refused !== undefined) throw refused;
  const input = inputOf(operation, args, settings, runtime);
  if (settings.dryRun) {
    const plain = maskSecretFields(fieldsOf(operation), input);
    if (run !== undefined)
      return { data: { dryRun: true, method: 'GET', path: operation.path, input: plain } };
    const { method, url, body } = dryRunRequest({ operation, settings })(input);
    return { data: { dryRun: true, method, url, body: body && (JSON.parse(body) as unknown) } };
  }
  const connections = run === undefined ? undefined : CONCURRENCY;
  const causeRules = (run ?? before) === undefined ? [] : readSavedRules(runtime);
  // Notes on opening the service would be repeated with each call.
  const silent = { ...runtime, note: () => undefined };
  return withClient({ settings, flags, causeRules, connections }, silent, async (opened) => {
    const client = { ...opened, runtime };
    if (run !== undefined) return run(input, client);
    if (!isChange(operation)) return callOperation(client, operation, input);
    const prepared = (await before?.(input, client)) ?? { input };
    if ('instead' in prepared) return prepared.instead;
    return change(operation, prepared.input, host, client);
  });
}

/** Returns why the context does not allow a change; `undefined` if it does. Every call checks again. */
export function refusal(
  { danger }: Operation,
  { flags }: Pick<ToolHost, 'flags'>,
  settings: Settings,
): Failure | undefined {
  if (settings.stored?.protected !== true || (settings.yes && danger === undefined))
    return undefined;
  // Only a stored context can be protected, so it has a name.
  const where = `the context ${settings.context!} is protected`;
  if (danger !== undefined)
    return unsentFailure('usage', {
      what: `${where}: a person must delete or disable there`,
      hint: 'use the command line',
    });
  return unsentFailure('usage', {
    what: `${where}: changes need a person’s consent`,
    hint: 'start the server with --yes to allow it',
    next: socialLine(
      { words: ['mcp', 'serve'], flags: ['--allow-writes', '--yes'] },
      { settings, flags },
    ),
  });
}

/** Returns the complete, valid input of a call. Throws `usage` with all its faults. */
function inputOf(operation: Operation, args: Input, settings: Settings, runtime: Runtime): Input {
  const { [CONFIRM]: confirmed, ...rest } = args;
  // Only a destructive operation has the field `confirm`; in the input of others it stays, as an unknown field.
  const input: Record<string, unknown> = operation.danger === undefined ? { ...args } : rest;
  const account = accountField(operation);
  if (account !== undefined && input[account] === undefined)
    input[account] = accountFor(settings, operation.platform)?.id;
  const faults = issuesOf(operation.input, input).map((issue): Fault => {
    if (issue.code === 'unrecognized_keys') return unknownFields(issue.keys);
    const [name] = issue.path;
    const missing = input[String(name)] === undefined;
    return { field: issue.path.join('.'), problem: missing ? 'is required' : issue.message };
  });
  // An update with the ID alone would change nothing.
  if (operation.method === 'PATCH' && Object.keys(input).length < 2)
    faults.push({ field: 'input', problem: 'has nothing to change' });
  const id = idField(operation);
  if (operation.danger !== undefined && (confirmed === undefined || confirmed !== args[id])) {
    const problem =
      confirmed === undefined ? 'is required' : `must repeat the ${id}, got another text`;
    faults.push({ field: CONFIRM, problem, fix: `repeat the ${id}; ${operation.danger}` });
  }
  if (faults.length > 0) throw usageFailure(faults);
  return completeInput(operation, fieldsOf(operation), input, runtime.note);
}

/** Counts a change before it is sent, so that parallel calls cannot exceed the limit; throws at the limit. */
function countWrite({ writes, flags }: ToolHost, settings: Settings): void {
  const { sent, max = Infinity } = writes;
  if (sent >= max) {
    const yes = settings.yes ? ['--yes'] : [];
    const raised = ['--allow-writes', ...yes, '--max-writes', String(max * 2)];
    throw unsentFailure('usage', {
      code: 'write_limit',
      what: `write limit reached: ${sent} of ${countOfChanges(max)} sent`,
      hint: 'nothing was sent; a person can restart the server with a higher --max-writes, or without it for no limit',
      next: socialLine({ words: ['mcp', 'serve'], flags: raised }, { settings, flags }),
    });
  }
  writes.sent++;
}

/**
 * Makes a change, and records it in the history like that of a command. The agent's own client asks for confirmation.
 */
async function change(
  operation: Operation,
  input: Input,
  host: ToolHost,
  client: Client,
): Promise<CallOutcome> {
  const command = operation.command.replace(/\{(\w+)\}/g, (_all, name: string) =>
    String(input[name]),
  );
  const targetOf = () => changeTarget(fieldsOf(operation), input);
  const history = historyWriterFor({ command, by: 'agent', targetOf, operation }, client);
  let answer: CallOutcome = { data: undefined };
  countWrite(host, client.settings);
  try {
    await runRecorded(history, async () => {
      answer = await callOperation({ ...client, change: history }, operation, input);
    });
  } catch (error) {
    // A change of which nothing was sent does not count.
    if (error instanceof Failure && error.facts.sent !== true) host.writes.sent--;
    throw error;
  }
  return answer;
}
