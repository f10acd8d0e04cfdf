// One call of a tool: a command line that runs in this process, with streams of its own. Its result, its failure and its
// waits are those of the command; this file adds the limit of changes, and that a change whose answer did not reach the
// agent is not sent again.

import { setMaxListeners } from 'node:events';
import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  effectOf,
  type Input,
  isChange,
  type Operation,
} from '../../api/operations/define-operation.ts';
import { fieldsOf, kebab } from '../../api/operations/fields.ts';
import {
  asFailure,
  cancelledFailure,
  Failure,
  type Traffic,
  unsentFailure,
  usageFailure,
} from '../../base/errors.ts';
import { isObject, mapTexts, ownJson, toJson } from '../../base/json.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { runCaptured } from '../../cli/run-captured.ts';
import { inspection } from '../../client/advice.ts';
import { faultsByName, normalized, type TypedInput, typedInput } from '../../input/agent-input.ts';
import { errorObject } from '../../output/error-report.ts';
import { createRedactor, redactFailure, secretValuesIn } from '../../output/redact.ts';
import { maskNamed, type SecretPlaces } from '../../output/redact-by-name.ts';
import { inFieldNames, moreFlags, type Tool } from './tools.ts';

export interface ToolRequest {
  readonly cancelled: AbortSignal;
  /** Receives each line that the command writes for a person while it runs. */
  onLine(line: string): void;
}

/** The error object of a command that failed. */
interface CommandError {
  readonly message: string;
  readonly outcome: string;
  readonly accepted: boolean;
  readonly hint: string | null;
  readonly next: string | null;
}

export class ToolRunner {
  readonly #serve: Invocation;
  readonly #places: SecretPlaces;
  /** The number of changes that were sent or are running. */
  #writes = 0;
  /** The changes that are running, whose answer did not reach the agent, or whose outcome is unknown. */
  readonly #unanswered = new Set<string>();
  /** The first failure with an unknown outcome. */
  unknownOutcome: CommandError | undefined;

  constructor(serve: Invocation, places: SecretPlaces) {
    this.#serve = serve;
    this.#places = places;
  }

  /** Calls a tool. Never rejects: a failure is a result too. */
  async call(tool: Tool, given: Input, request: ToolRequest): Promise<CallToolResult> {
    const { operation } = tool;
    const input = normalized(operation, given);
    const mask = createRedactor(secretValuesIn(fieldsOf(operation), input));
    const { data, notes, report } = await this.#answer(tool, input, request).catch((error) => ({
      data: undefined,
      notes: [],
      report: errorObject(redactFailure(asFailure(error), mask)),
    }));
    const shown = maskNamed(data, this.#places.isSecretAt(operation.path)) as object | undefined;
    const result = mapTexts(report === undefined ? shown : { ...shown, ...report }, mask);
    const texts = [toJson(result), ...notes.map((note) => inFieldNames(tool, mask(note)))];
    return {
      content: texts.map((text) => ({ type: 'text', text })),
      ...(isObject(result) && { structuredContent: result }),
      ...(report !== undefined && { isError: true }),
    };
  }

  async #answer(tool: Tool, input: Input, request: ToolRequest) {
    const { operation } = tool;
    const faults = faultsByName(operation, input);
    if (faults.length > 0) throw usageFailure(faults);
    const flags = [...moreFlags(tool, input), ...this.#flagsFor(operation)];
    const line = typedInput(operation, input, flags);
    if (!isChange(operation)) return this.#run(line, request);
    const key = tool.name + JSON.stringify(input, withSortedLists);
    if (this.#unanswered.has(key))
      throw new Failure('outcome_unknown', {
        what: 'the same call was made before, and its outcome is unknown to you: it was not sent again',
        sent: true,
        retryable: false,
        ...inspection(operation, [input], this.#serve),
      });
    const { maxWrites = Infinity } = this.#serve.flags as { readonly maxWrites?: number };
    if (this.#writes >= maxWrites)
      throw unsentFailure('usage', {
        code: 'write_limit',
        what: `write limit reached: ${this.#writes} of ${maxWrites} sent`,
        hint: 'a person can restart this server with a higher limit',
      });
    this.#writes++;
    this.#unanswered.add(key);
    const traffic: Traffic = { reads: 0, changes: 0 };
    const ended = await this.#run(line, request, traffic);
    if (traffic.changes === 0) this.#writes--;
    const { outcome, accepted } = ended.report?.error ?? { accepted: true };
    const mayBeMade = traffic.changes > 0 && (accepted || outcome === 'unknown');
    // To set the same values once more does no harm.
    const isOpen =
      request.cancelled.aborted || (outcome === 'unknown' && effectOf(operation) === 'once');
    if (!mayBeMade || !isOpen) this.#unanswered.delete(key);
    return ended;
  }

  /** Runs a line. A client that cancels stops it like Ctrl-C, except that a change which was sent gets its answer. */
  async #run(line: TypedInput, request: ToolRequest, traffic?: Traffic) {
    const { runtime, settings } = this.#serve;
    const { cancelled, onLine } = request;
    const stop = new AbortController();
    const cancel = () => stop.abort(cancelledFailure());
    if (cancelled.aborted) cancel();
    cancelled.addEventListener('abort', cancel, { once: true });
    const signal = AbortSignal.any([runtime.signal, stop.signal]);
    // Each read of a triage adds a listener.
    setMaxListeners(0, signal);
    const host = { signal, traffic, agent: { changeSignal: runtime.signal } };
    const { exitCode, stdout, stderr } = await runCaptured(line, this.#serve, host, (text) => {
      if (settings.debug) void runtime.stderr.write(text);
      else if (!text.startsWith('{')) onLine(text.trimEnd());
    });
    const notes = stderr.split('\n').filter(Boolean);
    const last = exitCode === 0 ? undefined : ownJson(notes.pop()!);
    const report = last as { readonly error: CommandError } | undefined;
    if (report?.error.outcome === 'unknown') this.unknownOutcome ??= report.error;
    return { data: ownJson(stdout), notes: settings.debug ? [] : notes, report };
  }

  /** Returns the flags of `mcp serve` that each line has too. Only the agent itself confirms what it deletes. */
  #flagsFor({ danger }: Operation): readonly string[] {
    const { settings } = this.#serve;
    const typed = this.#serve.typedFlags as Readonly<Record<string, string | readonly string[]>>;
    const flags = FORWARDED.flatMap((flag) =>
      [typed[flag] ?? []].flat().map((value) => `--${kebab(flag)}=${value}`),
    );
    if (settings.debug) flags.push('--debug');
    if (settings.dryRun) flags.push('--dry-run');
    if (settings.yes && danger === undefined) flags.push('--yes');
    return [...flags, '--json', '--no-input'];
  }
}

/** Used with `JSON.stringify`, because two lists of the same items are the same. */
const withSortedLists = (_key: string, value: unknown): unknown =>
  Array.isArray(value) ? value.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)) : value;

/** The flags with a value that select the service, and how it is called. */
const FORWARDED = ['context', 'baseUrl', 'timeout', 'retries', 'query', 'cacert'];
