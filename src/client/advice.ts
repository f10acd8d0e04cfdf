// Adds advice to the failure of a call: the rejected token, an assumed query name, and how to see whether a change was
// applied. It adds words only: the kind of a failure stays. Pure.

import { subjectOf } from './check-response.ts';
import { type Failure, type FailureFacts, isSignal } from '../base/errors.ts';
import { isChange, type Operation, type Input } from '../api/operations/define-operation.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { adviceOnRefusedToken } from '../config/auth/token.ts';
import { labelledLine, socialLine, withIds } from '../base/shell.ts';
import { showsTypedCredential } from '../output/redact.ts';
import { versionHint } from '../base/url.ts';
import type { Client } from './open-client.ts';

/** Adds advice to a failure. One that leads nowhere else gets the check of the connection, or a word on the ID. */
export function withAdvice(
  failure: Failure,
  operation: Operation,
  input: Input,
  client: Client,
): Failure {
  const advised = adviceOnOutcome(failure, operation, input, client);
  const { status, next, hint, sent, sender } = advised.facts;
  if (next !== undefined) return advised;
  if (advised.kind === 'no_answer' && status === undefined && sent === false)
    return advised.with({ next: socialLine({ words: ['doctor'] }, client) });
  const isUnknownId = advised.kind === 'not_found' && sender !== 'gateway' && hint === undefined;
  // The ID of a pairing is a credential, which is not remembered.
  const hasId = fieldsOf(operation).some(
    ({ name, idKind, sensitive }) =>
      operation.places.path.includes(name) && idKind !== undefined && sensitive !== true,
  );
  return isUnknownId && hasId ? advised.with({ hint: CHECK_ID }) : advised;
}

const CHECK_ID =
  'check the ID: TAB offers those seen here, social history list shows those of changes';

function adviceOnOutcome(
  failure: Failure,
  operation: Operation,
  input: Input,
  client: Client,
): Failure {
  const { settings, service, flags } = client;
  const { kind, facts } = failure;
  const reasons = reasonsFor(failure, operation, input, client);
  if (kind === 'not_found' && operation.meant !== undefined) {
    const typed = String(input[operation.places.path.at(-1)!]);
    const { hint, id } = operation.meant(typed);
    // An ID that is nearly a credential is shown where that may be.
    const isShown = showsTypedCredential(settings, client.runtime) && !client.retryPolicy;
    const words = operation.command.split(' ');
    const line = { words, ids: [id ?? ''], flags: flags['wait'] === true ? ['--wait'] : [] };
    const next = id !== undefined && isShown ? socialLine(line, client) : undefined;
    const isSaid = facts.message?.includes(typed) === true || reasons.length > 0;
    return failure.with({ why: isSaid ? reasons : [`typed: ${typed}`], hint, next });
  }
  // With such a reason a change was refused, or never sent.
  if (reasons.length > 0) {
    const next = facts.status === 401 ? adviceOnRefusedToken(settings, flags, service.source) : {};
    return failure.with({ why: [...(facts.why ?? []), ...reasons], ...next });
  }
  if (!isChange(operation) || facts.sent !== true) return failure;
  // The outcome of the change comes first: another next step, such as a bug report, would be mistaken for the answer.
  const words = { next: undefined, ...inspection(operation, [input], client) };
  // A batch has one line that settles all its records.
  const id = operation.settle && !client.retryPolicy ? client.observer?.recordedId : undefined;
  const line = id && socialLine({ words: ['history', 'settle'], ids: [id] }, client);
  if (line) words.hint = labelledLine('then', line);
  if (kind === 'outcome_unknown') return failure.with(words);
  if (!isSignal(kind) || facts.outcome !== 'unknown') return failure;
  return failure.with({ what: `${facts.what} after sending; outcome unknown`, ...words });
}

/** Returns what explains a failure and the response does not say. */
function reasonsFor(
  { kind, facts }: Failure,
  operation: Operation,
  input: Input,
  { settings, service, runtime }: Client,
): readonly string[] {
  const { status, message, hint, cause, sender } = facts;
  const context = settings.context === undefined ? '' : `context ${settings.context}, `;
  // A gateway asks for credentials of its own.
  if (status === 401 && sender !== 'gateway')
    return [`the service rejected the token (${context}source: ${service.source})`];
  const version = kind === 'not_found' ? versionHint(service.baseUrl) : undefined;
  if (version !== undefined) return [version];
  const subject = subjectOf(operation, input);
  // The service's own message already says what is missing.
  if (kind === 'not_found' && !message && !hint && subject !== undefined)
    return [`not found: ${subject}`];
  const { code } = Object(cause) as { readonly code?: unknown };
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return [`this machine’s clock says ${new Date(runtime.now()).toISOString()}`];
  if (status !== 400) return [];
  return operation.places.query.map(
    (name) =>
      `the query name ${name} is not in the API document; --query <name>=<value> adds or overrides it`,
  );
}

/** Returns how to see whether changes with lost responses were applied: a command that shows them, or else words. */
export function inspection(
  { inspect }: Operation,
  inputs: readonly Input[],
  client: Pick<Client, 'settings' | 'flags'>,
): Pick<FailureFacts, 'next' | 'hint'> {
  if (inspect === undefined) return {};
  if (typeof inspect === 'string') return { hint: inspect };
  const valuesOf = (name: string) => [...new Set(inputs.map((input) => String(input[name])))];
  return { next: socialLine(withIds(inspect, valuesOf), client) };
}
