// Certificates that must not be trusted, ways to trust further ones, and no way to trust all of them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { makeCertificates, secureServer, type Certificates } from '../support/certificates.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

const MiB = 1024 * 1024;
const get = ['posts', 'get', 'PostSpringLaunch'];
const change = 'posts reply PostSpringLaunch --target TargetAutumnMast --text hi'.split(' ');
type Program = typeof social | typeof socialInProcess;
const at = (
  url: string,
  argv: readonly string[],
  env: Record<string, string> = {},
  run: Program = socialInProcess,
) => run(argv, { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY, ...env } });

describe('a certificate', () => {
  it.each([
    ['self-signed', 'self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)', []],
    ['good', 'signed by an unknown authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE)', []],
    ['other-host', 'issued for another host (ERR_TLS_CERT_ALTNAME_INVALID)', ['ca']],
    ['expired', 'expired (CERT_HAS_EXPIRED)', ['ca']],
    ['not-yet', 'not yet valid (CERT_NOT_YET_VALID)', ['ca']],
  ] as const)('%s: is not trusted, nothing is sent or retried', async (name, words, [ca]) => {
    const server = await secureServer(certificates.pair(name));
    const flags = ca === undefined ? [] : ['--cacert', certificates.ca];
    for (const line of [get, change]) {
      // A change of each kind of trust by the built program.
      const isBuilt = line === change && (name === 'good' || name === 'expired');
      const run = isBuilt ? social : socialInProcess;
      const outcome = await at(server.url, [...line, ...flags], {}, run);
      expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
      expect(outcome.stderr).toContain(`certificate of 127.0.0.1 is not trusted: ${words}\n`);
      expect(outcome.stderr).not.toMatch(/tried|attempts|REJECT_UNAUTHORIZED/);
      // Another authority does not help against the wrong host or time.
      expect(outcome.stderr.includes('--cacert FILE or NODE_EXTRA_CA_CERTS')).toBe(
        ca === undefined,
      );
      // A certificate of the future, or of the past: the clock here may be wrong.
      const clock = `this machine’s clock says ${new Date().toISOString().slice(0, 10)}`;
      expect(outcome.stderr.includes(clock)).toBe(/expired|not yet/.test(words));
    }
    expect(server.paths).toEqual([]);
  });

  it('is verified though NODE_TLS_REJECT_UNAUTHORIZED=0 is set', async () => {
    const server = await secureServer(certificates.pair('self-signed'));
    const outcome = await at(server.url, get, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, social);
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain('ignoring NODE_TLS_REJECT_UNAUTHORIZED=0');
    expect(outcome.stderr).toContain('is not trusted: self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)');
    expect(outcome.stderr).toContain('self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)');
    // Node's own words would say that certificates are not checked.
    expect(outcome.stderr).not.toMatch(/Warning|insecure/);
    expect(server.paths).toEqual([]);
  });

  it('of an authority in --cacert or NODE_EXTRA_CA_CERTS is trusted', async () => {
    const server = await secureServer(certificates.pair('good'));
    const named = [...get, '--cacert', certificates.ca];
    expect((await at(server.url, named)).exitCode).toBe(0);
    const env = { NODE_EXTRA_CA_CERTS: certificates.ca };
    expect((await at(server.url, get, env, social)).exitCode).toBe(0);
    expect(server.paths).toHaveLength(2);
  });
});

describe('--cacert', () => {
  it('replaces all other authorities, as in curl and kubectl', async () => {
    const server = await secureServer(certificates.pair('good'));
    const other = join(certificates.folder, 'self-signed.pem');
    const env = { NODE_EXTRA_CA_CERTS: certificates.ca };
    const outcome = await at(server.url, [...get, '--cacert', other], env, social);
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain('is not trusted');
    expect(outcome.stderr).toContain('is not in the --cacert file, which replaces all others');
    expect(server.paths).toEqual([]);
  });

  it.each([
    ['missing.pem', undefined, 'ENOENT'],
    ['empty.pem', '', 'no certificate found'],
    ['note.pem', 'not a certificate', 'no certificate found'],
    [
      'broken.pem',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'certificate 1 of 1 is damaged',
    ],
    ['whole.pem', ' '.repeat(10 * MiB), 'no certificate found'],
    ['large.pem', ' '.repeat(10 * MiB + 1), `larger than ${10 * MiB} bytes`],
  ])('that names %s is an error of this machine, and nothing is sent', async (name, text, why) => {
    const server = await secureServer(certificates.pair('good'));
    const home = freshHome();
    const path = join(home, name);
    if (text !== undefined) writeFileSync(path, text);
    const argv = [...get, '--cacert', path, '--json'];
    const { exitCode, stdout, stderr } = await at(server.url, argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: '' });
    const { error } = JSON.parse(stderr) as { error: object };
    expect(error).toMatchObject({
      message: `cannot read CA file ${path}: ${why}`,
      sent: false,
      retryable: false,
    });
    expect(server.paths).toEqual([]);
  });
});

describe('a plain port', () => {
  it('that is contacted over TLS is reported as such', async () => {
    const { url } = await recordingServer();
    const outcome = await at(url.replace('http:', 'https:'), get);
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toBe(
      `error: no TLS connection to ${url.slice(7)} (ERR_SSL_WRONG_VERSION_NUMBER)\n  check whether the base URL begins with http:// or https://\ntry: social doctor\n`,
    );
  });
});
