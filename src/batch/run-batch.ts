// Many calls of one operation: validate all records → confirm → open the service, the files and the journal → run. Each
// record makes its call and its wait of the same steps as a single call (`wait/call-and-wait.ts`).

import { resolve } from 'node:path';
import { idOf, isChange } from '../api/operations/define-operation.ts';
import { Failure, usageFailure } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import { isStdinPath } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { Session } from '../client/session.ts';
import { dryRunRequest, readsFirst, requestAfterRead, writeRequests } from '../client/dry-run.ts';
import { baseUrlOf, type Client, withClient } from '../client/open-client.ts';
import { acceptedLately } from '../history/accepted-lately.ts';
import { historyWriterFor, runRecorded, type HistoryWriter } from '../history/recorder.ts';
import type { Settings } from '../config/settings.ts';
import { whoAndWhere } from '../fs/permissions.ts';
import { type OperationCall, recordedLine } from '../input/collect-input.ts';
import { oncePerLine } from '../output/wrap.ts';
import { secretValuesIn } from '../output/redact.ts';
import { confirmChange } from '../prompts/confirm.ts';
import {
  type Journal,
  type JournalState,
  jobOf,
  readJournalState,
  withJournal,
} from './journal/journal.ts';
import { RecordJournal } from './journal/record-journal.ts';
import { createCancellation } from './cancellation.ts';
import { failuresWriter, startFailuresFile } from './failures-file.ts';
import { createLimiter, readEach } from './limiter.ts';
import { parseList, readList, STDIN } from './read/list.ts';
import {
  type BatchRecord,
  labelOf,
  type RecordList,
  validateRecords,
} from './read/validate-records.ts';
import { BatchSummary } from './report/summary.ts';
import { runRecords } from './run-records.ts';
import type { Batch, BatchSession } from './session.ts';
import type { BatchOptions } from './options.ts';

/** Runs the operation for every record. Throws the `Failure` it ends with. */
export async function runBatch(
  call: OperationCall,
  batchOptions: BatchOptions,
  runtime: Runtime,
): Promise<void> {
  const list = await recordList(call, batchOptions, runtime);
  // The service may echo the secret of one record in its answer to another, so all are masked until the end.
  runtime.secrets.add(
    list.parsed.flatMap((one) => ('input' in one ? secretValuesIn(call.fields, one.input) : [])),
  );
  const { records, ...leftOut } = await validateRecords(list, call, batchOptions, runtime.signal);
  noteLeftOut({ ...list, ...leftOut }, runtime);
  const { source, unit } = list;
  const task: Batch = { call, batchOptions, records, source, unit };
  if (records.length === 0) {
    // A list of an earlier run must not stay: its records would be sent again.
    if (batchOptions.failuresTo !== undefined && !call.settings.dryRun)
      startFailuresFile(batchOptions.failuresTo).finish();
    runtime.note(leftOut.otherShards > 0 ? 'no records in this shard' : 'nothing to do');
  } else if (call.settings.dryRun) await dryRunBatch(task, runtime);
  else await openAndRun(task, runtime);
}

/** Returns the records of `--from`, or else the typed ones, numbered from 1. */
async function recordList(
  { operation, fields, inputs }: OperationCall,
  { from, column }: BatchOptions,
  runtime: Runtime,
): Promise<RecordList> {
  if (from === undefined) {
    const parsed = inputs.map((input, i) => ({ line: i + 1, input }));
    return { name: 'the command line', source: 'typed', unit: 'record', parsed };
  }
  const idField = fields.find(({ argument }) => argument !== undefined);
  if (column !== undefined && idField === undefined)
    throw usageFailure({ field: '--column', problem: 'needs a command that takes an ID' });
  const format = { fields, idField, column, isChange: isChange(operation) };
  const list = parseList(await readList(from, runtime), format);
  return { name: isStdinPath(from) ? STDIN : from, source: 'list', ...list };
}

/** Says in one line how much of a list is skipped. */
function noteLeftOut(
  leftOut: Pick<RecordList, 'comments' | 'blankRows' | 'headers'> & {
    readonly repeated: number;
    readonly missing: number;
  },
  { note }: Runtime,
): void {
  const { comments = 0, blankRows = 0, headers = 0, repeated, missing } = leftOut;
  const parts = [
    counted(headers, 'header row'),
    counted(comments, 'comment'),
    counted(blankRows, 'blank row'),
    counted(repeated, 'duplicate record'),
    counted(missing, 'record', ' without an ID'),
  ].filter(Boolean);
  if (parts.length > 0) note(`${parts.join(', ')} ignored`);
}

const counted = (count: number, word: string, rest = '') =>
  count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}${rest}`;

/** Confirms the batch and opens what it needs, so that nothing is sent before all is ready. */
async function openAndRun(task: Batch, runtime: Runtime): Promise<void> {
  const { call, batchOptions, records } = task;
  const { operation, hooks, fields, spelling, settings, shared } = call;
  // This throws if no service is configured: then there is nothing to confirm.
  baseUrlOf(settings);
  const words = spelling.words.join(' ');
  runtime.secrets.add(secretValuesIn(fields, shared));
  await confirmChange({ operation, words, ids: idsOf(records) }, settings, runtime);
  const { concurrency } = batchOptions;
  // If no request follows another, there is no connection to share.
  const connections = records.length > concurrency ? concurrency : undefined;
  await withClient({ ...call, connections }, runtime, async (client) => {
    const file =
      batchOptions.failuresTo === undefined
        ? undefined
        : startFailuresFile(batchOptions.failuresTo);
    const failuresFile = failuresWriter(file, spelling.impliedFields);
    const history = isChange(operation) ? historyOfBatch(task, client) : undefined;
    const cancel = createCancellation(runtime);
    const signals = { signal: cancel.soft, halt: cancel.halt };
    const run = (journal: Journal | undefined) => {
      const { service, ...rest } = client;
      const session: BatchSession = {
        ...task,
        ...rest,
        serviceOfRecords: service,
        // Records have a runtime of their own: an interrupt ends them only after the grace. All else in this function
        // has that of the command.
        runtime: { ...runtime, signal: cancel.hard, note: oncePerLine(runtime.note) },
        operation,
        hooks,
        observer: history,
        acceptedLately: acceptedLately(client),
        isBatch: true,
        journal,
        journalOf: journalOf(journal, task),
        failuresFile,
        limiter: createLimiter(batchOptions, settings, runtime, signals),
        cancel,
        summary: new BatchSummary(records.length, runtime, client.causeRules),
      };
      return runRecorded(history, () => runRecords(session));
    };
    if (batchOptions.journal === undefined) return run(undefined);
    await withJournal(batchOptions.journal, jobOf(call), runtime, (journal) => {
      beginJournal(journal, history?.id, settings, runtime);
      return run(journal);
    });
  });
}

/** Makes the function that returns what a journal knows of a record. */
const journalOf =
  (journal: JournalState | undefined, { call: { operation, causeRules }, batchOptions }: Batch) =>
  (record: BatchRecord) =>
    journal &&
    new RecordJournal(journal, operation, record, batchOptions.retryUnknown === true, causeRules);

const idsOf = (records: readonly BatchRecord[]) => records.map(({ input }) => idOf(input));

/** Stores the facts of this run. Says if opening the journal removed an incomplete last line. */
function beginJournal(
  journal: Journal,
  entry: string | undefined,
  { note }: Settings,
  runtime: Runtime,
): void {
  const { secrets, env } = runtime;
  journal.begin({ entry, note: note && secrets.mask(note), ...whoAndWhere(env['SUDO_USER']) });
  if (journal.cut > 0)
    runtime.note(`journal: removed an incomplete last line (${journal.cut} bytes)`);
}

/** Makes the writer of the history entry, of which a batch has one for all its records. */
function historyOfBatch(
  { call, batchOptions, records }: Batch,
  client: Client,
): HistoryWriter | undefined {
  const { operation, spelling, waiting } = call;
  const { journal } = batchOptions;
  const target = {
    ids: idsOf(records),
    count: records.length,
    journal: journal && resolve(journal),
    line: recordedLine(call),
  };
  const command = spelling.words.join(' ');
  const isWaitedFor = waiting !== undefined;
  return historyWriterFor({ command, targetOf: () => target, operation, isWaitedFor }, client);
}

/** Prints the requests. Throws if a post that a request depends on cannot be read. */
async function dryRunBatch(task: Batch, runtime: Runtime): Promise<void> {
  const { batchOptions, call, records } = task;
  // With a journal, `before` reads the post and names the targets, so the request is only known after it.
  const isJournalled = batchOptions.journal !== undefined && call.hooks.before !== undefined;
  if (readsFirst(call) || isJournalled) return printAfterReads(task, runtime);
  const request = dryRunRequest(call);
  const requests = records.map(({ input }) => request(input));
  await writeRequests(requests, call.settings, runtime);
  runtime.note(`${counted(requests.length, 'request')}; nothing was sent`);
}

/** Reads the posts first, `--concurrency` at a time, because the requests depend on them. */
async function printAfterReads(task: Batch, runtime: Runtime): Promise<void> {
  const { batchOptions, records, call } = task;
  const { settings, operation, hooks } = call;
  const { signal, note, secrets } = runtime;
  const limiter = createLimiter(batchOptions, settings, runtime, { signal });
  const retryPolicy = limiter.retryPolicyOf('call');
  const options = { ...call, connections: batchOptions.concurrency };
  // Each warning is shown once, because every read would repeat it.
  const readRuntime = { ...runtime, note: oncePerLine(note) };
  const journal =
    batchOptions.journal === undefined
      ? undefined
      : readJournalState(batchOptions.journal, jobOf(call), runtime.now);
  const knownOf = journalOf(journal, task);
  const requestOrFailures = await withClient(options, readRuntime, (client) => {
    const session: Session = {
      ...client,
      operation,
      hooks,
      retryPolicy,
      isBatch: true,
      acceptedLately: acceptedLately(client),
    };
    return readEach(records, { limiter, signal }, async (record) => {
      const ledger = knownOf(record);
      if (ledger?.isFinished() === true) return undefined;
      return requestAfterRead({ ...session, ledger }, record.input);
    });
  });
  const requests: HttpRequest[] = [];
  let failed = 0;
  for (const [i, record] of records.entries()) {
    const request = requestOrFailures[i];
    if (request instanceof Failure) {
      failed++;
      const label = labelOf(record, task, secrets.mask);
      note(`error: ${label}: ${sanitizeLine(request.facts.what)}`);
    } else if (request !== undefined) requests.push(request);
  }
  await writeRequests(requests, settings, runtime);
  if (requests.length > 0) note(`${counted(requests.length, 'request')}; nothing was changed`);
  // Without a request the read found nothing to send.
  const skipped = records.length - requests.length - failed;
  if (skipped > 0) note(`${skipped} of ${records.length} skipped: nothing to retry`);
  if (failed > 0)
    throw new Failure('batch_failed', {
      what: `${failed} of ${records.length} posts could not be read`,
      sent: true,
      retryable: false,
    });
}
