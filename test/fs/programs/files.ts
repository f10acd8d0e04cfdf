// Uses the files of src from a process of its own: `count <locked> <file> <times>` adds to a number under a lock,
// `append <file> <name> <times> <most>` appends lines and puts the file aside, `hold <file>` keeps its lock until it is
// killed, `identity` prints what it is known by, `save <file> <size>` and `saves <file>` save.

import { readFileSync, writeFileSync } from 'node:fs';
import { appendLines, rotate } from '../../../src/fs/append-log.ts';
import { saveFile } from '../../../src/fs/atomic-write.ts';
import { newOwner, withFileLock } from '../../../src/fs/lock.ts';

const [task, path = '', ...rest] = process.argv.slice(2);

async function count(counter: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await withFileLock(path, () => {
      writeFileSync(counter, String(Number(readFileSync(counter, 'utf8')) + 1));
    });
  }
}

function hold(): Promise<never> {
  return withFileLock(path, () => {
    process.stdout.write('held\n');
    return new Promise<never>(() => setInterval(() => {}, 1000));
  });
}

function save(size: number): string {
  saveFile(path, 'n'.repeat(size));
  return 'saved';
}

/** Prints what comes of it, or why nothing does. */
function say(work: () => unknown): void {
  try {
    process.stdout.write(String(work()));
  } catch (error) {
    process.stdout.write(error instanceof Error ? error.message : 'unknown');
  }
}

function saveForever(): void {
  process.stdout.write('saving\n');
  for (let i = 0; ; i++) saveFile(path, String(i % 10).repeat(200_000));
}

async function append(name: string, times: number, most: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    appendLines(path, `${JSON.stringify({ name, i, rest: 'x'.repeat(i % 50) })}\n`);
    await rotate(path, most).catch(() => undefined);
  }
}

if (task === 'append') await append(rest[0]!, Number(rest[1]), Number(rest[2]));
else if (task === 'count') await count(rest[0]!, Number(rest[1]));
else if (task === 'hold') await hold();
else if (task === 'identity') process.stdout.write(JSON.stringify(newOwner()));
else if (task === 'save') say(() => save(Number(rest[0])));
else saveForever();
