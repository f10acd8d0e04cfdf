// Certificates that openssl makes for the tests, and a TLS server that records the paths it is asked for.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { listenOnLoopback } from './listen.ts';

/** `ca` is the file of the authority that signed the others. */
export interface Certificates {
  readonly ca: string;
  readonly folder: string;
  pair(name: CertificateName): { readonly key: Buffer; readonly cert: Buffer };
  remove(): void;
}

const NOW = '20200101000000Z 20400101000000Z';
const signed = {
  good: `subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:api.test ${NOW}`,
  'other-host': `subjectAltName=DNS:elsewhere.test ${NOW}`,
  expired: 'subjectAltName=IP:127.0.0.1 20200101000000Z 20210101000000Z',
  'not-yet': 'subjectAltName=IP:127.0.0.1 20390101000000Z 20400101000000Z',
} as const;

export type CertificateName = keyof typeof signed | 'self-signed';

/** Makes all certificates, in some two hundred milliseconds. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'social-certificates-'));
  const openssl = (line: string) => execaSync('openssl', line.split(' '), { cwd: folder });
  const withNewKey = (name: string) =>
    `-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${name}.key`;
  const selfSign = (name: string, subject: string, extension: string) =>
    openssl(
      `req -x509 ${withNewKey(name)} -out ${name}.pem -days 3650 -subj /CN=${subject} -addext ${extension}`,
    );
  selfSign('ca', 'authority-of-the-test', 'keyUsage=critical,keyCertSign');
  selfSign('self-signed', '127.0.0.1', 'subjectAltName=IP:127.0.0.1');
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'ca.cnf'), authorityConfig(folder));
  for (const [name, of] of Object.entries(signed)) {
    const [alternatives = '', from, until] = of.split(' ');
    openssl(`req ${withNewKey(name)} -out ${name}.csr -subj /CN=${name}`);
    writeFileSync(join(folder, `${name}.ext`), alternatives);
    openssl(
      `ca -batch -config ca.cnf -in ${name}.csr -out ${name}.pem -extfile ${name}.ext -startdate ${from} -enddate ${until} -notext`,
    );
  }
  const read = (file: string) => readFileSync(join(folder, file));
  return {
    ca: join(folder, 'ca.pem'),
    folder,
    pair: (name) => ({ key: read(`${name}.key`), cert: read(`${name}.pem`) }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const authorityConfig = (folder: string) => `[ca]
default_ca = own
[own]
dir = ${folder}
database = ${folder}/index.txt
new_certs_dir = ${folder}
certificate = ${folder}/ca.pem
private_key = ${folder}/ca.key
default_md = sha256
rand_serial = yes
policy = any
unique_subject = no
[any]
commonName = supplied
`;

/** Starts a service behind TLS on the loopback. */
export async function secureServer(pair: https.ServerOptions) {
  const paths: string[] = [];
  const server = https.createServer(pair, (request, response) => {
    paths.push(request.url!);
    response.setHeader('content-type', 'application/json');
    response.end('{"ok":true,"data":{}}');
  });
  server.on('tlsClientError', () => undefined);
  const port = await listenOnLoopback(server);
  return { port, url: `https://127.0.0.1:${port}`, paths };
}
