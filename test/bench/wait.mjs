// What waiting costs: processor time of a `posts wait` that never sees its post settle, beyond that of its start.

import * as http from 'node:http';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const social = fileURLToPath(new URL('../../bin/social.js', import.meta.url));
const id = 'PostSpringLaunch';
const target = { id: 'TargetSpringLink', postId: id, platform: 'linkedin', status: 'publishing' };
const body = JSON.stringify({ ok: true, data: { id, status: 'publishing', targets: [target] } });

/** Processor seconds of a run, told by bash; the server is here, so the run must not block. */
async function cpuOf(argv, env) {
  const script = `TIMEFORMAT='%3U %3S'; { time "$@" >/dev/null 2>&3; } 3>/dev/null`;
  const child = spawn('bash', ['-c', script, 'bash', ...argv], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk) => (told += chunk));
  await new Promise((resolve) => child.on('close', resolve));
  const [user, system] = told.trim().split('\n').at(-1).split(' ').map(Number);
  return user + system;
}

/** Waits so many seconds, and once next to none, and tells the difference. */
export async function waitCost({ node, seconds }) {
  let looks = 0;
  const server = http.createServer((request, response) => {
    looks++;
    request.resume();
    response.setHeader('content-type', 'application/json').end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = mkdtempSync(join(tmpdir(), 'social-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SOCIAL_BASE_URL: `http://127.0.0.1:${server.address().port}`,
    SOCIAL_TOKEN: 'bench',
  };
  const wait = (limit) => [node, social, 'posts', 'wait', id, '--json', '--wait-timeout', limit];
  try {
    const start = await cpuOf(wait('100ms'), env);
    looks = 0;
    const whole = await cpuOf(wait(`${seconds}s`), env);
    const rows = [
      {
        wait: `${seconds} s`,
        looks,
        'CPU s': whole.toFixed(3),
        'of it the start': start.toFixed(3),
        'CPU s for 10 minutes': (start + ((whole - start) / seconds) * 600).toFixed(2),
      },
    ];
    return { title: 'waiting', rows };
  } finally {
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}
