// What a batch tells the engine, and that nothing of it stays.

import { execFileSync } from 'node:child_process';
import { Script } from 'node:vm';
import { expect, it } from 'vitest';
import { tuneEngine } from '../../../src/cli/engine.ts';

const sourceOf = (number: number) => `(function () { return ${number}; })`;

/** Compiled by another process: what this one has compiled before it takes whatever comes with it. */
const compiled = [0, 1].map((number) => {
  const program = `process.stdout.write(new vm.Script(${JSON.stringify(sourceOf(number))}).createCachedData())`;
  return execFileSync(process.execPath, [...process.execArgv, '-e', program]);
});
const isTaken = (number: number) =>
  new Script(sourceOf(number), { cachedData: compiled[number]! }).cachedDataRejected === false;

it('leaves the engine as it was: errors have stacks, compiled files are taken', () => {
  const limit = Error.stackTraceLimit;
  expect(isTaken(0)).toBe(true);
  const engine = tuneEngine({ debug: false });
  expect(Error.stackTraceLimit).toBe(0);
  for (let i = 0; i < 1000; i++) engine.tick();
  engine.opened();
  engine.restore();
  expect(Error.stackTraceLimit).toBe(limit);
  expect(isTaken(1)).toBe(true);
});

it('keeps the stacks for those who want to see them', () => {
  const limit = Error.stackTraceLimit;
  const engine = tuneEngine({ debug: true });
  expect(Error.stackTraceLimit).toBe(limit);
  engine.restore();
});
