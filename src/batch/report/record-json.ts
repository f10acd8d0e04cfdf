// A record of a batch as a line of JSON.

import { isChange } from '../../api/operations/define-operation.ts';
import type { Failure } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import {
  readFailure,
  readTargets,
  type TargetError,
  targetErrorsIn,
} from '../../client/remedies.ts';
import type { CallOutcome, Session } from '../../client/session.ts';
import type { CauseRule } from '../../client/taught-causes.ts';
import type { OperationCall } from '../../input/collect-input.ts';
import { errorObject } from '../../output/error-report.ts';
import { maskSecretFields } from '../../output/redact.ts';
import { pick } from '../../output/table-view.ts';
import type { BatchRecord } from '../read/validate-records.ts';

/** Makes the function that formats a record: `{"line","input","ok","exitCode",…,"data","error"}`. */
export function jsonLines(
  { operation, causeRules }: Pick<Session, 'operation' | 'causeRules'>,
  { fields, paths }: OperationCall,
) {
  const all = paths.length === 0;
  const hasSecrets = fields.some(({ secret }) => secret);
  const isRead = !isChange(operation);
  return (
    { line, input: rawInput }: BatchRecord,
    { data, json, failure, bad, isSkipped = false }: Partial<CallOutcome>,
  ): string => {
    const input = toJson(hasSecrets ? maskSecretFields(fields, rawInput) : rawInput);
    // The response to a change that succeeded may show targets that had failed before.
    const shownData = isRead || failure !== undefined ? data : undefined;
    const cause = causeMembers(failure, targetErrorsIn(shownData, bad), causeRules);
    const start = `{"line":${line},"input":${input},"ok":${failure === undefined},"exitCode":${failure?.exitCode ?? 0}${cause}`;
    const dataText = () =>
      all && json !== undefined ? json : toJson(all ? data : pick(data, paths));
    const result = data === undefined ? '' : `,"data":${dataText()}`;
    const skipped = isSkipped ? ',"skipped":true' : '';
    if (failure === undefined) return `${start}${skipped}${result}}\n`;
    const { error } = errorObject(failure) as { error: object };
    return `${start}${result},"error":${toJson(error)}}\n`;
  };
}

/** Formats `,"cause":"…","readFrom":"…"` for a failure, or for a post with failed targets; else an empty text. */
function causeMembers(
  failure: Failure | undefined,
  targetErrors: readonly TargetError[],
  rules: readonly CauseRule[],
): string {
  // An accepted change has no cause yet, whether its time ran out or a signal ended its wait.
  if (failure?.kind === 'still_pending' || failure?.facts.waitStopped === true) return '';
  if (failure === undefined && targetErrors.length === 0) return '';
  const { cause, readFrom } =
    failure === undefined
      ? readTargets(targetErrors, rules)
      : readFailure(failure, targetErrors, rules);
  return `,"cause":"${cause}"${readFrom === undefined ? '' : `,"readFrom":${toJson(readFrom)}`}`;
}
