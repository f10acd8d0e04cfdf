// Programs of tests as processes of their own: built to plain JavaScript, started with arguments.

import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Builds the TypeScript at `source` into `folder`; resolves with the path of what Node can run. */
export async function built(source: URL, folder: string): Promise<string> {
  const file = join(folder, 'program.mjs');
  const bundle = await rolldown({
    input: fileURLToPath(source),
    platform: 'node',
    logLevel: 'silent',
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  return file;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program, and how it ends. */
export function start(
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [program, ...args], { ...options, stdio: 'pipe' });
  return { child, ended: endOf(child) };
}

export function endOf(child: ChildProcess): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => {
    said.stdout += String(text);
  });
  child.stderr?.on('data', (text) => {
    said.stderr += String(text);
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...said }));
  });
}
