// Runs scripts of package.json, or commands, side by side, one a core: node scripts/check.mjs types lint …
// Prints what each said when it has ended, and ends with 1 if one of them failed.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const names = process.argv.slice(2);

/** Runs the script; resolves to whether it passed. */
async function passes(name) {
  const start = performance.now();
  const child = spawn(scripts[name] ?? name, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(text));
  const code = await new Promise((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const end = code === 0 ? '' : `, failed with ${code}`;
  process.stdout.write(`> ${name} (${seconds} s${end})\n${Buffer.concat(output).toString()}`);
  return code === 0;
}

/** Takes the next script as long as there is one. */
async function work() {
  for (let name; (name = names.shift());) if (!(await passes(name))) process.exitCode = 1;
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
