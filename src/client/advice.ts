// A failure of a call with what the user wants to know next: whose token was refused, which name was only assumed,
// and how to find out what nobody knows. Pure.

import { subjectOf } from './check-response.ts';
import { Failure, isSignal, type FailureFacts, type FailureKind } from '../base/errors.ts';
import {
  isChange,
  queryFields,
  type Operation,
  type Input,
} from '../api/operations/define-operation.ts';
import { assumedQueryNames, assumption } from '../api/schema/protocol.ts';
import { suggestCommand } from '../config/flags.ts';
import { afterRefusedToken } from '../config/auth/login-command.ts';
import { shellQuote } from '../base/shell.ts';
import type { CallContext } from './call-context.ts';

/** The same failure, explained. */
export function withAdvice(
  failure: Failure,
  operation: Operation,
  input: Input,
  callContext: CallContext,
): Failure {
  const { settings, service, runtime } = callContext;
  const { kind, facts } = failure;
  const because = (...lines: readonly string[]) =>
    new Failure(kind, { ...facts, why: [...(facts.why ?? []), ...lines] });
  if (facts.status === 401) {
    const where = settings.context === undefined ? '' : `context ${settings.context}, `;
    const why = [
      ...(facts.why ?? []),
      `the token was not accepted (${where}source: ${service.source})`,
    ];
    const then = afterRefusedToken(settings, callContext.flags, service.source);
    return new Failure(kind, { ...facts, why, ...then });
  }
  if (facts.status === 403) return because('the token is not allowed to do this');
  const subject = subjectOf(operation, input);
  // Where the service has words of its own, they say which.
  if (kind === 'not_found' && facts.message === undefined && subject !== undefined)
    return because(`not found: ${subject}`);
  if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(codeOf(facts.cause)))
    return because(`this machine’s clock says ${new Date(runtime.now()).toISOString()}`);
  const assumed = queryFields(operation).filter(([field]) => field in assumedQueryNames);
  if (facts.status === 400 && assumed.length > 0)
    return because(...assumed.map(([field]) => assumption(field)));
  if (!isChange(operation) || facts.sent !== true) return failure;
  return kind === 'outcome_unknown'
    ? inspected(failure, operation, input, callContext)
    : givenUp(failure, operation, input, callContext);
}

/** What finds out whether a change happened whose answer nobody has. */
function inspected(
  { kind, facts }: Failure,
  { inspect }: Operation,
  input: Input,
  callContext: CallContext,
): Failure {
  if (inspect === undefined) return new Failure(kind, facts);
  const advice = filled(inspect, input);
  return new Failure(kind, {
    ...facts,
    ...(advice.startsWith('social ')
      ? { next: suggestCommand(advice.slice('social '.length), callContext) }
      : { hint: advice }),
  });
}

/** A change that was on its way when a signal, or a fault of ours, put an end to it. */
function givenUp(
  failure: Failure,
  operation: Operation,
  input: Input,
  callContext: CallContext,
): Failure {
  const { kind, facts } = failure;
  const ended = (as: FailureKind, more: Partial<FailureFacts>) =>
    inspected(new Failure(as, { ...facts, ...more }), operation, input, callContext);
  if (kind === 'internal') return ended('outcome_unknown', {});
  if (!isSignal(kind) || facts.outcome === 'none') return failure;
  const what = `${facts.what} after sending; outcome unknown`;
  return ended(kind, { what, outcome: 'unknown' });
}

const codeOf = (cause: unknown): string => String((cause as { code?: unknown } | undefined)?.code);

/** Puts an input's values into the placeholders of a command line. */
function filled(template: string, input: Input): string {
  return template.replace(/\{(\w+)\}/g, (_all, name: string) => shellQuote(String(input[name])));
}
