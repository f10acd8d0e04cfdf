// The failures of a batch on stderr while it runs: a line for each, or only for each distinct error.

import { isSignal } from '../../base/errors.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import { colorsFor } from '../../output/color.ts';
import { wrapText } from '../../output/wrap.ts';
import { labelOf } from '../read/validate-records.ts';
import type { ResultRun } from '../session.ts';
import { briefly, MAX_ERROR_LENGTH, type RecordText, signOf, toneOf } from './record-line.ts';

import { failureTexts } from './summary.ts';

/** The maximum number of distinct errors that are shown while a batch runs. */
const MAX_DISTINCT = 20;

/** Makes the function that formats the failure of a record: `error: line 3: PostSpringLaunch: There is no post ….` */
export function eachFailure(run: ResultRun): RecordText {
  const { stderr, secrets } = run.runtime;
  return (record, { failure }) => {
    if (failure === undefined) return '';
    // An interrupted record has not failed.
    const prefix = isSignal(failure.kind) ? '' : 'error: ';
    const line = `${prefix}${labelOf(record, run, secrets.mask)}: ${briefly(failure)}`;
    return `${stderr.isTTY ? wrapText(line, stderr.columns) : line}\n`;
  };
}

/**
 * Makes the function that formats the errors of a record that no record before it had: `✗ temporary: X answered 429
 * (line 3: PostSpringLaunch)`. The summary has the number of each.
 */
export function onceEach(run: ResultRun): RecordText {
  const { runtime, causeRules, settings } = run;
  const { stderr, secrets } = runtime;
  const shown = new Set<string>();
  return (record, { data, bad, failure }) => {
    if (failure === undefined || isSignal(failure.kind)) return '';
    const { cause, texts } = failureTexts(record.input, { data, bad, failure }, causeRules);
    const sign = signOf(toneOf({ failure }, run.operation), colorsFor(stderr, settings, runtime));
    let lines = '';
    for (const text of texts) {
      const error = `${cause} ${text}`;
      if (shown.size === MAX_DISTINCT || shown.has(error)) continue;
      shown.add(error);
      const label = labelOf(record, run, secrets.mask);
      const more = shown.size === MAX_DISTINCT ? '; other errors are in the summary' : '';
      const line = `${cause}: ${excerpt(secrets.mask(text), MAX_ERROR_LENGTH)} (${label})${more}`;
      lines += `${sign} ${wrapText(sanitizeLine(line), (stderr.columns ?? 80) - 3).replaceAll('\n', '\n  ')}\n`;
    }
    return lines;
  };
}
