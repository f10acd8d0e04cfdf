// What a start costs: processor time over that of a bare node, and memory, for the starts that people wait for.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuMs, isInstalled, median, peakMiB } from './measure.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const social = here('../../bin/social.js');

/** Starts the server of posts, over https where it is given a certificate. */
async function serve(...certificate) {
  const server = spawn(process.execPath, [here('post-server.mjs'), ...certificate], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const origin = await new Promise((resolve) =>
    server.stdout.once('data', (chunk) => resolve(chunk.toString().trim())),
  );
  return { origin, stop: () => server.kill() };
}

/** A certificate for 127.0.0.1 that nobody else trusts. */
function certify(folder) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words =
    `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout ${key} -out ${cert}`.split(
      ' ',
    );
  const { status } = spawnSync('openssl', words, { stdio: 'ignore' });
  return status === 0 ? [key, cert] : undefined;
}

/** Medians of so many interleaved runs of each start under a Node. */
export async function startCosts({ node, rounds }) {
  const home = mkdtempSync(join(tmpdir(), 'social-bench-'));
  const plain = await serve();
  const certificate = certify(home);
  const secure = certificate === undefined ? undefined : await serve(...certificate);
  // NODE_EXTRA_CA_CERTS costs every start dozens of milliseconds, so it stays away.
  const env = { PATH: process.env.PATH, HOME: home, SOCIAL_TOKEN: 'bench' };
  const get = ['posts', 'get', 'PostSpringLaunch', '--json'];
  const tab = 'social -C sandbox posts get ';
  const candidates = [
    { name: 'node -e 0', argv: [node, '-e', '0'] },
    { name: 'social --version', argv: [node, social, '--version'] },
    { name: 'social --help', argv: [node, social, '--help'] },
    { name: 'TAB: social posts re', argv: [node, social, '__complete', 'social posts re'] },
    { name: 'TAB: -C sandbox posts get', argv: [node, social, '__complete', tab] },
    { name: 'social posts retry --help', argv: [node, social, 'posts', 'retry', '--help'] },
    { name: 'social posts get, http', argv: [node, social, ...get, '--base-url', plain.origin] },
    ...(secure === undefined
      ? []
      : [
          {
            name: 'social posts get, https',
            argv: [node, social, ...get, '--base-url', secure.origin, '--cacert', certificate[1]],
          },
        ]),
    ...peers(plain.origin),
  ];
  try {
    const seen = candidates.map(() => []);
    for (let round = 0; round <= rounds; round++)
      for (const [i, { argv }] of candidates.entries()) {
        const cost = cpuMs(argv, env);
        // The first round fills caches, the machine's and the program's.
        if (round > 0) seen[i].push(cost);
      }
    const rows = candidates.map(({ name, argv }, i) => ({
      start: name,
      'CPU ms': median(seen[i]).toFixed(1),
      'of node': median(seen[i].map((cost, round) => cost / seen[0][round])).toFixed(2),
      'peak MiB': peakMiB(argv, env)?.toFixed(1),
    }));
    return { title: `start-up, median of ${rounds}`, rows };
  } finally {
    plain.stop();
    secure?.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Tools that do one of the same things, where they are installed. */
function peers(origin) {
  const url = `${origin}/v1/posts/PostSpringLaunch`;
  return [
    { name: 'gh --version', argv: ['gh', '--version'] },
    { name: 'curl, the same get', argv: ['curl', '-s', url] },
    { name: 'httpie, the same get', argv: ['http', '--ignore-stdin', url] },
  ].filter(({ argv }) => isInstalled(argv[0]));
}
