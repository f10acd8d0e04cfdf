#!/usr/bin/env node
// One list on several workers with `--shard`, by schedulers that exist: GNU parallel, and a Slurm of one node that this
// script starts (as the superuser, with Debian's slurm-wlm and munge installed). Each post has to be sent once, by
// whichever worker, and the same line again sends nothing. Prints what it saw, a line a scheduler; ends with 1 where a
// post was sent twice or never. A scheduler that is not installed is named and skipped.
//   node test/torture/shards.mjs [posts]

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

const SHARDS = 4;
const posts = Number(process.argv[2] ?? 400);
const social = fileURLToPath(new URL('../../bin/social.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'social-shards-'));
const at = (name) => join(folder, name);
const idOf = (n) =>
  `PostOfTheShard${String.fromCharCode(65 + (Math.floor(n / 26) % 26), 65 + (n % 26))}${n}`
    .replace(/\d/g, (digit) => 'abcdefghij'[digit])
    .slice(0, 16)
    .padEnd(16, 'x');
const ids = [...new Set(Array.from({ length: posts }, (_, n) => idOf(n)))];

/** A service whose posts have failed until a retry publishes them, and that counts how often each post was sent. */
async function countingService() {
  const sent = new Map();
  const answer = async (request, response) => {
    const id = /posts\/(\w+)/.exec(request.url)?.[1];
    if (request.method === 'POST') sent.set(id, (sent.get(id) ?? 0) + 1);
    const status = sent.has(id) ? 'published' : 'failed';
    const target = { id: 'TargetOfTheShard', platform: 'mastodon', status };
    await setTimeout(20);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, data: { id, status, targets: [target] } }));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, sent, server };
}

const isThere = (command) => spawnSync('which', [command]).status === 0;

/** Runs what is asked without holding up the service of this process. */
async function run(command, argv, env) {
  const child = spawn(command, argv, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const [status] = await once(child, 'close');
  return { status, said };
}

const schedulers = {
  'GNU parallel': {
    needs: ['parallel'],
    start: (line, env) =>
      run('parallel', [`-j${SHARDS}`, line('{}'), ':::', '1', '2', '3', '4'], env),
  },
  Slurm: {
    needs: ['sbatch', 'slurmctld', 'slurmd', 'munged'],
    setUp: startSlurm,
    async start(line, env) {
      writeFileSync(at('job.sh'), `#!/bin/sh\n${line('"$SLURM_ARRAY_TASK_ID"')}\n`);
      const argv = ['--wait', `--array=1-${SHARDS}`, '--output=slurm-%a.out', 'job.sh'];
      return run('sbatch', argv, env);
    },
  },
};

/** A Slurm of this machine alone, whose state is in the folder; returns how it is stopped. */
async function startSlurm() {
  const node = hostname().split('.')[0];
  mkdirSync(at('state'));
  mkdirSync(at('spool'));
  const conf = `ClusterName=one
SlurmctldHost=${node}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
SlurmctldLogFile=${at('slurmctld.log')}
SlurmdLogFile=${at('slurmd.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
NodeName=${node} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=${node} Default=YES OverSubscribe=FORCE:${SHARDS} State=UP
`;
  writeFileSync(at('slurm.conf'), conf);
  const env = { ...process.env, SLURM_CONF: at('slurm.conf') };
  mkdirSync('/run/munge', { recursive: true });
  execFileSync('chown', ['munge', '/run/munge']);
  const munged = spawnSync('runuser', ['-u', 'munge', '--', 'munged', '--force']);
  if (munged.status !== 0) console.log('munged was not started: one may run already');
  execFileSync('slurmctld', ['-f', at('slurm.conf')], { env });
  execFileSync('slurmd', ['-f', at('slurm.conf')], { env });
  for (let tries = 0; tries < 100; tries++) {
    const state = spawnSync('sinfo', ['-h', '-o', '%T'], { env, encoding: 'utf8' }).stdout.trim();
    if (state === 'idle') break;
    await setTimeout(100);
  }
  return { env, stop: () => void spawnSync('scontrol', ['shutdown'], { env }) };
}

const verdicts = [];
try {
  chmodSync(folder, 0o755);
  writeFileSync(at('ids.txt'), `${ids.join('\n')}\n`);
  for (const [name, { needs, setUp, start }] of Object.entries(schedulers)) {
    const missing = needs.filter((command) => !isThere(command));
    if (missing.length > 0 || (setUp !== undefined && process.getuid() !== 0)) {
      console.log(`${name}: skipped, needs ${[...missing, ...(setUp ? ['root'] : [])].join(', ')}`);
      continue;
    }
    const { url, sent, server } = await countingService();
    const scheduler = await setUp?.();
    const env = {
      ...(scheduler?.env ?? process.env),
      HOME: folder,
      SOCIAL_BASE_URL: url,
      SOCIAL_TOKEN: 'a-token-of-the-test',
    };
    const journals = name.replace(/\W/g, '');
    const line = (index) =>
      `${process.execPath} ${social} posts retry --from ${at('ids.txt')} --shard ${index}/${SHARDS} --journal ${at(`${journals}-`)}${index}.journal -q --json > /dev/null`;
    try {
      const first = await start(line, env);
      const missed = ids.filter((id) => !sent.has(id)).length;
      await start(line, env);
      const twice = [...sent.values()].filter((count) => count > 1).length;
      verdicts.push({ missed, twice });
      const counts = `${ids.length} posts, ${SHARDS} workers, ${sent.size} sent, ${missed} missed, ${twice} sent twice after a second run`;
      console.log(`${name}: ${counts}`);
      if (first.status !== 0)
        console.log(`  ended with ${first.status}: ${first.said.slice(0, 400)}`);
    } finally {
      scheduler?.stop();
      server.close();
    }
  }
} finally {
  await setTimeout(500);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = verdicts.every(({ missed, twice }) => missed + twice === 0) ? 0 : 1;
