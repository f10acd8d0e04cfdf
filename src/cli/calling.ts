// An operation being called from the command line: what was prepared, the open service, and the call itself
// with its warnings shown and its failures explained.

import type { Result } from '../call/answer.ts';
import { toRequest, type Input } from '../call/request.ts';
import type { Patience } from '../call/retry.ts';
import { run } from '../call/run.ts';
import { Failure } from '../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { Operation } from '../operations/operation.ts';
import { sanitizeLine } from '../output/sanitize.ts';
import { version } from '../version.ts';
import type { World } from '../world.ts';
import { again } from './again.ts';
import { shellQuote } from './dry-run.ts';
import type { Service } from './service.ts';
import type { RawFlags, Settings } from './settings.ts';

export interface Calling {
  readonly operation: Operation;
  /** The command without its arguments, for the next step to name. */
  readonly command: string;
  readonly flags: RawFlags;
  /** Full paths of `--fields`. */
  readonly paths: readonly string[];
  readonly settings: Settings;
  readonly service: Service;
  readonly world: World;
  /** A line for the user on stderr, unless they want none. */
  readonly note: (line: string) => void;
}

/** Calls an operation with one input. Its warnings go to stderr; its failure says what to do next. */
export async function call(
  calling: Calling,
  operation: Operation,
  input: Input,
  retries = calling.settings.retries,
): Promise<Result> {
  const { settings, service, world, note } = calling;
  const request = requestOf(operation, input, service.baseUrl, settings);
  try {
    const result = await run(
      operation,
      request,
      service.send,
      patienceOf(settings, world, retries),
      world.signal,
    );
    for (const line of result.warnings) note(`warning: ${line}`);
    return result;
  } catch (error) {
    throw error instanceof Failure ? explained(error, operation, input, calling) : error;
  }
}

/** The request as it leaves, less the token. */
export function requestOf(
  operation: Operation,
  input: Input,
  baseUrl: string,
  settings: Settings,
): HttpRequest {
  const request = toRequest(operation, input, { baseUrl, query: settings.query });
  return { ...request, headers: { ...request.headers, 'user-agent': `social/${version}` } };
}

/** How often and how long a call is tried. */
export function patienceOf(
  { timeoutMs }: Settings,
  { monotonic, random, sleep }: World,
  retries: number,
): Patience {
  return { retries, totalMs: timeoutMs * (retries + 1), monotonic, random, sleep };
}

/** Writes notes for a person, one line each; none where they asked for quiet. */
export function notesTo(
  { stderr }: World,
  { quiet }: Pick<Settings, 'quiet'>,
): (line: string) => void {
  return (line) => void (quiet || stderr.write(`${sanitizeLine(line)}\n`));
}

/** What the user wants to know next: whose token was refused, and how to find out what nobody knows. */
function explained(
  failure: Failure,
  operation: Operation,
  input: Input,
  calling: Calling,
): Failure {
  const { settings, service } = calling;
  const { kind, facts } = failure;
  if (facts.status === 401) {
    const where = settings.context === undefined ? '' : `context ${settings.context}, `;
    return new Failure(kind, {
      ...facts,
      why: [`the token was not accepted (${where}source: ${service.source})`],
    });
  }
  if (kind !== 'outcome_unknown' || operation.inspect === undefined) return failure;
  const advice = filled(operation.inspect, input);
  return new Failure(kind, {
    ...facts,
    ...(advice.startsWith('social ')
      ? { next: again(advice.slice('social '.length), calling) }
      : { hint: advice }),
  });
}

/** Puts an input's values into the placeholders of a command line. */
function filled(template: string, input: Input): string {
  return template.replace(/\{(\w+)\}/g, (_all, name: string) => shellQuote(String(input[name])));
}
