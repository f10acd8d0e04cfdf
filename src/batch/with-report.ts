// The way to `--report`, which few runs load.

import type { Runtime } from '../base/runtime.ts';
import type { PreparedCall, RunReport } from './types.ts';

/** Runs `work` with what `--report` asks for. */
export async function withReport(
  prepared: PreparedCall,
  runtime: Runtime,
  work: (report: RunReport | undefined) => Promise<void>,
): Promise<void> {
  if (prepared.reports === undefined) return work(undefined);
  const { reported } = await import('./report/ci-report.ts');
  return reported(prepared, runtime, work);
}
