// The cost of a start: processor time over that of a bare node, and memory, for the starts that people wait for.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMs, here, isInstalled, median, peakMiB, startServer } from './measure.mjs';

/** The first rounds fill caches, the machine's and the program's, which keeps a part of its code at each run. */
const WARM_UP = 8;

const social = here('../../bin/social.js');

/** Returns the medians of interleaved runs of each start under a Node. */
export async function startCosts({ node, rounds }) {
  const home = mkdtempSync(join(tmpdir(), 'social-bench-'));
  const { origin, stop } = await startServer(home);
  // NODE_EXTRA_CA_CERTS makes every start dozens of milliseconds slower, so it is not set.
  const env = { PATH: process.env.PATH, HOME: home, SOCIAL_TOKEN: 'bench' };
  const get = ['posts', 'get', 'PostSpringLaunch', '--json'];
  const candidates = [
    { name: 'node -e 0', argv: [node, '-e', '0'] },
    { name: 'social --version', argv: [node, social, '--version'] },
    { name: 'social --help', argv: [node, social, '--help'] },
    { name: 'TAB: social posts re', argv: [node, social, '__complete', 'social posts re'] },
    { name: 'social posts get, http', argv: [node, social, ...get, '--base-url', origin] },
    ...peers(origin),
  ];
  try {
    const seen = candidates.map(() => []);
    for (let round = -WARM_UP; round < rounds; round++)
      for (const [i, { argv }] of candidates.entries()) {
        const cost = cpuMs(argv, env);
        if (round >= 0) seen[i].push(cost);
      }
    const rows = candidates.map(({ name, argv }, i) => ({
      start: name,
      'CPU ms': median(seen[i]).toFixed(1),
      'of node': median(seen[i].map((cost, round) => cost / seen[0][round])).toFixed(2),
      'peak MiB': peakMiB(argv, env)?.toFixed(1),
    }));
    return [{ title: `start-up, median of ${rounds}`, rows }];
  } finally {
    stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Returns installed tools that do one of these things too. */
function peers(origin) {
  const url = `${origin}/v1/posts/PostSpringLaunch`;
  return [
    { name: 'gh --version', argv: ['gh', '--version'] },
    { name: 'curl, the same get', argv: ['curl', '-s', url] },
    { name: 'httpie, the same get', argv: ['http', '--ignore-stdin', url] },
  ].filter(({ argv }) => isInstalled(argv[0]));
}
