// What `--report` asks for: how each record ended, handed to the writers of JUnit XML and of what GitHub shows. A
// report that cannot be written is said, and never hides how the run itself ended.

import type { Input } from '../../api/operations/define-operation.ts';
import type { Failure } from '../../base/errors.ts';
import { isSignal } from '../../base/exit-codes.ts';
import type { Runtime } from '../../base/runtime.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import type { CallOutcome } from '../../client/call-context.ts';
import { type Cause, causeOf, targetErrorLines, targetErrorsIn } from '../../client/causes.ts';
import { asFailure, briefFailure } from '../../output/error-report.ts';
import { redactFailure } from '../../output/redact.ts';
import { withOutput } from '../failure-lists.ts';
import { judged } from '../run/item-verdict.ts';
import type { ItemVerdict } from '../run/scheduler.ts';
import type { PreparedCall, RunReport } from '../types.ts';
import { githubWriter } from './github.ts';
import { junitWriter } from './junit.ts';
import type { CaseState, ReportCase, ReportWriter } from './report-case.ts';

const MAX_TEXT = 300;
const MAX_ERRORS = 20;

const states: Readonly<Record<ItemVerdict, CaseState>> = {
  ok: 'ok',
  failed: 'failed',
  unknown: 'unknown',
  accepted: 'pending',
  skipped: 'skipped',
  unstarted: 'not started',
};

/** Runs `work` with the reports of a call. Throws what `work` throws, else the `Failure` of a report. */
export function reported(
  prepared: PreparedCall,
  runtime: Runtime,
  work: (report: RunReport) => Promise<void>,
): Promise<void> {
  const { command, reports } = prepared;
  const { monotonic, secrets, stderr } = runtime;
  return withOutput(reports?.junit, runtime, async (file) => {
    const writers = [
      ...(file === undefined ? [] : [junitWriter(command, file, runtime)]),
      ...(reports?.github === true ? [githubWriter(command, runtime)] : []),
    ];
    const collector = createCollector(command, writers, monotonic());
    try {
      await work(createReport(prepared, runtime, collector.put));
    } catch (error) {
      const faults = collector.finish(shown(asFailure(error), secrets.mask), monotonic());
      for (const { facts } of faults)
        await stderr.write(`warning: --report: ${sanitizeLine(facts.what)}\n`);
      throw error;
    }
    const [fault] = collector.finish(undefined, monotonic());
    if (fault !== undefined) throw fault;
  });
}

/** Takes the cases, counts them, and hands them to the writers. One that has failed is not asked again. */
function createCollector(command: string, writers: readonly ReportWriter[], started: number) {
  const faults = new Map<ReportWriter, Failure>();
  const counts = new Map<CaseState, number>();
  const causes = new Map<Cause, number>();
  const each = (step: (writer: ReportWriter) => void) => {
    for (const writer of writers.filter((known) => !faults.has(known)))
      try {
        step(writer);
      } catch (error) {
        faults.set(writer, asFailure(error));
      }
  };
  const put = (added: ReportCase) => {
    counts.set(added.state, (counts.get(added.state) ?? 0) + 1);
    if (added.cause !== undefined) causes.set(added.cause, (causes.get(added.cause) ?? 0) + 1);
    each((writer) => writer.add(added));
  };
  return {
    put,
    /** Ends the reports; returns what went wrong with them. */
    finish(failure: Failure | undefined, now: number): readonly Failure[] {
      const seconds = (now - started) / 1000;
      const isSaid = (['failed', 'unknown', 'pending'] as const).some((state) => counts.has(state));
      // What ends a run and is no record's is a case of its own, or the report would be green.
      if (failure !== undefined && !isSaid)
        put({ name: command, state: 'failed', failure, errors: [], seconds });
      each((writer) => writer.finish({ counts, causes, seconds, failure }));
      return [...faults.values()];
    },
  };
}

/** Makes the report that a run is given, which puts each record's end into texts that may be shown. */
function createReport(
  prepared: PreparedCall,
  { monotonic, secrets: { mask } }: Runtime,
  put: (added: ReportCase) => void,
): RunReport {
  const { operation } = prepared;
  const begun = new Map<number, number>();
  const text = (given: string) => excerpt(sanitizeLine(mask(given)), MAX_TEXT);
  const nameOf = (input: Input) => {
    const parts = operation.parts === undefined ? undefined : input[operation.parts];
    return text([Object.values(input)[0], parts ?? []].flat().map(String).join(' '));
  };
  const report: RunReport = {
    begin: (line) => void begun.set(line, monotonic()),
    add({ line, input }, { data, bad, failure }, verdict) {
      const now = monotonic();
      const since = begun.get(line) ?? now;
      begun.delete(line);
      const isBad = failure !== undefined && ['failed', 'unknown'].includes(verdict);
      const said = failure === undefined ? [] : targetErrorLines(data, bad);
      put({
        name: nameOf(input),
        state: states[verdict],
        failure: failure && shown(failure, mask),
        ...(isBad ? { cause: causeOf(failure, targetErrorsIn(data, bad)) } : {}),
        errors: said.slice(0, MAX_ERRORS).map(text),
        seconds: (now - since) / 1000,
      });
    },
    async only(input, call) {
      const add = (end: Partial<CallOutcome>) =>
        report.add({ line: 1, input }, end, verdictOf(end));
      report.begin(1);
      try {
        const ended = await call();
        add(judged(ended, prepared));
        return ended;
      } catch (error) {
        add({ failure: asFailure(error) });
        throw error;
      }
    },
  };
  return report;
}

/** A failure without secrets, in texts of a length that a person reads. */
const shown = (failure: Failure, mask: (text: string) => string): Failure =>
  briefFailure(redactFailure(failure, mask));

/** How a single call ended. */
function verdictOf({ failure, isSkipped }: Partial<CallOutcome>): ItemVerdict {
  if (failure === undefined) return isSkipped === true ? 'skipped' : 'ok';
  if (failure.outcome === 'unknown') return 'unknown';
  if (failure.kind === 'still_pending' || failure.facts.isWaiting === true) return 'accepted';
  const isUnsent =
    isSignal(failure.kind) || failure.kind === 'usage' || failure.kind === 'declined';
  return isUnsent ? 'unstarted' : 'failed';
}
