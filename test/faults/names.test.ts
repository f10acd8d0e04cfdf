// Names that do not resolve or lead astray. Each runs in a network of its own (a Linux namespace), so that what
// the system answers is what the test says.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { apart } from '../support/program.ts';

const canSeparate = spawnSync('unshare', ['-rnm', 'true']).status === 0;
const get = 'posts get PostSpringLaunch';
const retry = 'posts retry PostSpringLaunch';

/** Runs a line of `social` in a network that has nothing but a loopback, after a script that sets it up. */
const alone = (setup: string, line: string, env: Record<string, string>) =>
  apart('-rnm', setup, line.split(' '), { SOCIAL_TOKEN: CANARY, NO_COLOR: '1', ...env });

describe.runIf(canSeparate)('in a separate network namespace', () => {
  it('silent DNS has sent nothing and is tried three times, also for a change', async () => {
    const outcome = await alone('', retry, { SOCIAL_BASE_URL: 'https://api.example.com' });
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain(
      'error: DNS did not respond for api.example.com (3 attempts)\n',
    );
  });

  it('an unknown host name has sent nothing, is not retried, and is not blamed on the service', async () => {
    // Only the hosts file resolves names, and it answers at once.
    const setup = `echo 'hosts: files' > "$HOME/nsswitch"
mount --bind "$HOME/nsswitch" /etc/nsswitch.conf`;
    const outcome = await alone(setup, retry, { SOCIAL_BASE_URL: 'https://api.example.com' });
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toBe(
      'error: cannot resolve host api.example.com (DNS)\ntry: social doctor\n',
    );
  });

  it.each([
    ['another machine', '10.1.2.3 localhost'],
    ['this machine and another', '127.0.0.1 localhost\\n10.1.2.3 localhost'],
  ])('a localhost that is %s receives no token', async (_what, hosts) => {
    const setup = `printf '${hosts}\\n' > "$HOME/hosts"
mount --bind "$HOME/hosts" /etc/hosts`;
    const outcome = await alone(setup, get, { SOCIAL_BASE_URL: 'http://localhost:8080' });
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toContain(
      'localhost does not resolve to this machine; not sending a token over http',
    );
  });
});
