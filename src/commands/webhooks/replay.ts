// `webhooks replay`: sends stored deliveries again, with the same bytes, one after the other. Nothing is repeated: what is
// not answered with 2xx is said, and can be chosen by its number.

import { asFailure, Failure, usageFailure } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import { isObject, ownJson } from '../../base/json.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import { readList } from '../../batch/read/list.ts';
import { isDelivery, storedBytes } from '../../batch/read/webhook-body.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { refuseFaults } from '../../cli/run-command.ts';
import { openTransport, transportOptions } from '../../client/transport/open-transport.ts';
import { isJsonForm } from '../../config/flags.ts';
import { MASK } from '../../output/redact.ts';
import { fieldFaults, printValue } from '../../output/write-result.ts';
import { forwardedHeaders } from './delivery.ts';

interface Stored {
  /** Its line in the file, from 1. */
  readonly id: number;
  readonly event: string | null;
  readonly postId: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The names of headers whose values were masked when it was stored. */
  readonly masked: readonly string[];
  readonly body: Buffer;
}

/** Sends the stored deliveries of a file. Throws `batch_failed` if one was not answered with 2xx. */
export async function replayDeliveries(call: Invocation): Promise<void> {
  const { runtime, settings, form } = call;
  const { from, forwardTo: url, id } = requiredFlags(call);
  const deliveries = chosen(storedIn(await readList(from, runtime), from), id);
  const masked = new Set(deliveries.flatMap((delivery) => delivery.masked));
  if (masked.size > 0)
    runtime.note(
      `not sent, because they were stored masked: ${[...masked].map(sanitizeLine).join(', ')}`,
    );
  const transport = openTransport(transportOptions(url, settings, runtime));
  const isLined = isJsonForm(form) || form === 'tsv';
  const print = async (rows: readonly object[]) =>
    printValue({ ...call, form: isJsonForm(form) ? 'ndjson' : form }, COLUMNS, rows);
  const results: object[] = [];
  let failed = 0;
  try {
    for (const { id: line, event, postId, headers, body } of deliveries) {
      const start = runtime.monotonic();
      const request = { method: 'POST', url, headers, bytes: body } as const;
      const answer = await transport.send(request, runtime.signal).then(
        ({ status }) => ({ status, error: null }),
        (error: unknown) => {
          runtime.signal.throwIfAborted();
          return { status: null, error: asFailure(error).facts.what };
        },
      );
      const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300;
      if (!isTaken) failed++;
      const ms = Math.round(runtime.monotonic() - start);
      const result = { id: line, event, postId, ...answer, ms };
      const words = { ...result, answer: answer.error ?? `HTTP ${answer.status}`, ms: `${ms}ms` };
      if (isLined) await print([isJsonForm(form) ? result : words]);
      else results.push(words);
    }
  } finally {
    transport.close();
    // A table has one heading. After a signal it shows what was sent.
    if (results.length > 0) await print(results);
  }
  const count = `${deliveries.length} ${deliveries.length === 1 ? 'delivery' : 'deliveries'}`;
  if (failed === 0) return runtime.note(`${count} answered with 2xx`);
  throw new Failure('batch_failed', {
    what: `${failed} of ${count} not answered with 2xx`,
    hint: 'send one again with --id and its number',
    sent: true,
    retryable: false,
  });
}

const COLUMNS = ['id', 'event', 'postId', 'answer', 'ms'];
const FIELDS = ['id', 'event', 'postId', 'status', 'error', 'ms'];

const isRequired = (field: string): Fault => ({ field, problem: 'is required' });

/** Throws all faults of the line, a missing flag among them. */
function requiredFlags(call: Invocation) {
  const { from, forwardTo, id } = call.flags as {
    readonly from?: string;
    readonly forwardTo?: string;
    readonly id?: readonly number[];
  };
  // Checked before the first delivery is sent.
  const unknown = call.settings.fields.filter((field) => !FIELDS.includes(field));
  refuseFaults(call, [
    ...fieldFaults(unknown, FIELDS),
    ...(from === undefined ? [isRequired('--from')] : []),
    ...(call.typedFlags['forwardTo'] === undefined ? [isRequired('--forward-to')] : []),
  ]);
  return { from: from!, forwardTo: forwardTo!, id };
}

/** Reads the deliveries of a file that `webhooks listen --append` wrote. Throws all faults of its lines at once. */
function storedIn(bytes: Buffer, name: string): readonly Stored[] {
  const wrong: number[] = [];
  const found = (decodeUtf8(bytes) ?? '').split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const stored = storedAs(ownJson(line), index + 1);
    if (stored === undefined) wrong.push(index + 1);
    return stored ?? [];
  });
  const file = name === '-' ? 'stdin' : name;
  if (found.length > 0 && wrong.length === 0) return found;
  const more = wrong.length > MOST_LISTED ? ` and ${wrong.length - MOST_LISTED} more` : '';
  const lines = ` on line ${wrong.slice(0, MOST_LISTED).join(', ')}${more}`;
  const problem = `${file} has no delivery${found.length === 0 ? '' : lines}`;
  throw usageFailure({ field: '--from', problem, fix: MADE_BY });
}

const MADE_BY = 'it takes a file of webhooks listen --append';
const MOST_LISTED = 20;

function storedAs(value: unknown, id: number): Stored | undefined {
  if (!isObject(value) || !isDelivery(value) || !isObject(value['headers'])) return undefined;
  const body = storedBytes(value);
  if (body === undefined) return undefined;
  const headers = Object.entries(forwardedHeaders(value['headers']));
  const isMasked = ([, text]: (typeof headers)[number]) => text.includes(MASK);
  return {
    id,
    event: oneText(value['event']),
    postId: oneText(value['postId']),
    headers: Object.fromEntries(headers.filter((header) => !isMasked(header))),
    masked: headers.filter(isMasked).map(([name]) => name),
    body,
  };
}

/** Several are stored as a list. */
const oneText = (value: unknown): string | null =>
  [value].flat().find((one): one is string => typeof one === 'string') ?? null;

function chosen(all: readonly Stored[], ids: readonly number[] | undefined): readonly Stored[] {
  const missing = ids?.find((id) => all.every((one) => one.id !== id));
  if (missing !== undefined)
    throw usageFailure({ field: '--id', problem: `names line ${missing}, which has no delivery` });
  return ids === undefined ? all : all.filter(({ id }) => ids.includes(id));
}
