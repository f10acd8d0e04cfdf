// The results of a batch that shows what they come to, and not each.

import { sanitizeLine } from '../../base/sanitize.ts';
import type { CallContext, ResultGatherer } from '../../client/call-context.ts';
import { briefFailure } from '../../output/error-report.ts';
import type { BatchResults, ResultOptions } from './results.ts';

/** Hands the results on as they come, and has them shown at the end; failures are lines on stderr. */
export function gatheredResults(
  { runtime }: CallContext,
  gatherer: ResultGatherer,
  { progress, many }: Pick<ResultOptions, 'progress' | 'many'>,
): BatchResults {
  return {
    add({ input, line }, { data, failure }) {
      if (failure === undefined) return gatherer.add(data);
      const id = sanitizeLine(runtime.secrets.mask(String(Object.values(input)[0])));
      const where = many ? `line ${line}: ${id}` : id;
      progress.clear();
      const { what, brief = what } = briefFailure(failure).facts;
      runtime.note(`error: ${where}: ${sanitizeLine(brief)}`);
      progress.redraw();
    },
    hold: () => undefined,
    async end() {
      // What is shown now takes its time, in which a bar would be drawn between its lines.
      progress.stop();
      await gatherer.end();
    },
  };
}
