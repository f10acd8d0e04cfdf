// Makes a folder for one test.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a folder that is deleted after the test. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'social-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
