// Names that do not resolve or lead astray. Each runs in a network of its own (a Linux namespace), so that what
// the system answers is what the test says.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { assertNoToken, CANARY } from '../support/token-leak-check.ts';
import { bareEnv, freshHome, launcher } from '../support/program.ts';
import { needsUnix } from '../support/unix.ts';

const canSeparate = spawnSync('unshare', ['-rnm', 'true']).status === 0;
const get = 'posts get PostSpringLaunch';

/** Runs a line of `social` in a network that has nothing but a loopback, after a script that sets it up. */
async function apart(setup: string, line: string, env: Record<string, string>) {
  needsUnix('tracing, namespaces and limits');
  const home = freshHome();
  writeFileSync(join(home, 'run.sh'), `${setup}\nexec "$NODE" "$LAUNCHER" ${line}\n`);
  const outcome = await execa('unshare', ['-rnm', 'bash', join(home, 'run.sh')], {
    stripFinalNewline: false,
    env: bareEnv(home, {
      SOCIAL_TOKEN: CANARY,
      NO_COLOR: '1',
      NODE: process.execPath,
      LAUNCHER: launcher,
      FOLDER: home,
      ...env,
    }),
    extendEnv: false,
    reject: false,
  });
  const { stdout, stderr } = outcome;
  assertNoToken({ stdout, stderr, argv: [line] });
  return outcome;
}

describe.runIf(canSeparate)('in a separate network namespace', () => {
  it.each([get, 'posts retry PostSpringLaunch'])(
    'silent DNS has sent nothing and is tried three times: %s',
    async (line) => {
      const outcome = await apart('', line, { SOCIAL_BASE_URL: 'https://api.example.com' });
      expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
      expect(outcome.stderr).toContain(
        'error: DNS did not respond for api.example.com (3 attempts)\n',
      );
    },
  );

  it('an unknown host name has sent nothing, is not retried, and is not blamed on the service', async () => {
    // Only the hosts file resolves names, and it answers at once.
    const setup = `echo 'hosts: files' > "$FOLDER/nsswitch"
mount --bind "$FOLDER/nsswitch" /etc/nsswitch.conf`;
    for (const line of [get, 'posts retry PostSpringLaunch']) {
      const outcome = await apart(setup, line, { SOCIAL_BASE_URL: 'https://api.example.com' });
      expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
      expect(outcome.stderr).toBe('error: cannot resolve host api.example.com (DNS)\n');
    }
  });

  it.each([
    ['another machine', '10.1.2.3 localhost'],
    ['this machine and another', '127.0.0.1 localhost\\n10.1.2.3 localhost'],
  ])('a localhost that is %s receives no token', async (_what, hosts) => {
    const setup = `printf '${hosts}\\n' > "$FOLDER/hosts"
mount --bind "$FOLDER/hosts" /etc/hosts`;
    const outcome = await apart(setup, get, { SOCIAL_BASE_URL: 'http://localhost:8080' });
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toContain(
      'localhost does not resolve to this machine; not sending a token over http',
    );
  });
});
