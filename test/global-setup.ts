// Run once before the tests: makes the copy of the built program that they start on Node 20, unless this build has one.

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { baselineLauncher, root } from './support/launcher.ts';

const BASELINE = `'use strict';
require('node:v8').setFlagsFromString('--liftoff-only');
require('./social.js');
`;

export function setup(): void {
  if (baselineLauncher === undefined || existsSync(baselineLauncher)) return;
  const folder = dirname(dirname(baselineLauncher));
  for (const part of ['bin', 'dist']) {
    mkdirSync(join(folder, part), { recursive: true });
    for (const each of readdirSync(join(root, part), { withFileTypes: true }))
      if (each.isFile()) copyFileSync(join(root, part, each.name), join(folder, part, each.name));
  }
  // The launcher has its name once the cache is filled, which is where it stays: cached code knows its place.
  const launcher = join(folder, `bin/start-${process.pid}.cjs`);
  writeFileSync(launcher, BASELINE);
  execFileSync(process.execPath, [join(root, 'scripts/warm.mjs'), launcher]);
  renameSync(launcher, baselineLauncher);
}
