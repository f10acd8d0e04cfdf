// An operation being called from the command line: what was prepared, the open service, and the call itself
// with its warnings shown and its failures explained.

import type { Result } from '../call/answer.ts';
import { toRequest, type Input } from '../call/request.ts';
import type { Patience } from '../call/retry.ts';
import { run } from '../call/run.ts';
import { otherThan } from '../call/identity.ts';
import { Failure } from '../errors.ts';
import { isChange, type Operation } from '../operations/operation.ts';
import { sanitizeLine } from '../output/sanitize.ts';
import type { World } from '../world.ts';
import { explained } from './explain.ts';
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
  /** How a batch tries its calls, holds them back and counts them; nothing for a single call. */
  readonly patience?: (operation: Operation, retries: number) => Patience;
}

/** Calls an operation with one input. Its warnings go to stderr; its failure says what to do next. */
export function call(
  calling: Calling,
  operation: Operation,
  input: Input,
  retries = calling.settings.retries,
): Promise<Result> {
  const { settings, service, world, note } = calling;
  const answer = run(
    operation,
    toRequest(operation, input, { baseUrl: service.baseUrl, query: settings.query }),
    service.send,
    calling.patience?.(operation, retries) ?? patienceOf(settings, world, retries),
    world.signal,
  );
  return answer.then(
    (result) => {
      const other = otherThan(operation, input, result.data);
      if (other !== undefined && !isChange(operation)) throw aboutOther(other);
      for (const line of result.warnings) note(`warning: ${line}`);
      if (other !== undefined) note(`warning: the answer is about ${other}`);
      return result;
    },
    (error: unknown) => {
      throw error instanceof Failure ? explained(error, operation, input, calling) : error;
    },
  );
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

function aboutOther(other: string): Failure {
  return new Failure('no_answer', {
    what: `the answer is about ${other}`,
    sent: true,
    retryable: false,
  });
}
