// What is mutated, and the tests that judge it, area by area. Each area is run by itself: a mutant that lives costs
// every test that reaches it, so an area names those that speak of it and no others.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** These files of a folder. */
const these = (folder, ...names) => names.map((name) => `src/${folder}${name}.ts`);
/** Every file of a folder whose name begins like this. */
const begun = (folder, beginning) =>
  readdirSync(`${root}src/${folder}`)
    .filter((name) => name.startsWith(beginning) && name.endsWith('.ts'))
    .map((name) => `src/${folder}${name}`);

const units = (names) => `test/units/${names}.test.ts`;
const binary = (names) => `test/binary/${names}.test.ts`;
const faults = (names) => `test/faults/${names}.test.ts`;

export const areas = {
  sending: {
    mutate: [
      ...these(
        'call/',
        'request',
        'retry',
        'retry-after',
        'run',
        'answer',
        'any-answer',
        'misfits',
        'identity',
        'cut-up',
        'loopback',
        'under-way',
      ),
    ],
    tests: [
      units('{answer,cut-up,errors,request,retry,run,network,under-way}'),
      units('cli/api'),
      binary('retry-wait'),
    ],
  },
  network: {
    mutate: [...begun('call/', 'network')],
    tests: [
      units('network{,-connections,-failure,-pool,-reading,-tunnel}'),
      units('running-time'),
      binary('{timeouts,transport}'),
      faults('{proxy,tls}'),
    ],
  },
  journal: {
    mutate: [...begun('call/', 'journal')],
    tests: [units('batch/{item,journal}'), binary('{batch-journal,batch-files}')],
  },
  'batch: running': {
    mutate: [
      ...these('call/', 'batch', 'pace', 'slots', 'cause'),
      ...these(
        'cli/',
        'batch',
        'batch-item',
        'batch-run',
        'batch-journal',
        'batch-past',
        'batch-pace',
        'batch-rest',
      ),
    ],
    tests: [
      units('batch/{cause,item,pace}'),
      binary('{batch,batch-files,batch-journal,batch-rest,batch-targets}'),
    ],
  },
  'batch: lists': {
    mutate: [
      ...these('call/', 'records', 'lines', 'csv', 'shard', 'hashes'),
      ...these('cli/', 'batch-records', 'batch-source', 'batch-settings', 'batch-flags'),
    ],
    tests: [units('batch/{pace,records}'), binary('{batch,batch-files,batch-rest,batch-targets}')],
  },
  'batch: telling': {
    mutate: [
      ...these(
        'cli/',
        'batch-advice',
        'batch-cancel',
        'batch-end',
        'batch-files',
        'batch-progress',
        'batch-rehearsal',
        'batch-results',
        'batch-subject',
        'batch-summary',
      ),
    ],
    tests: [
      units('batch/tables'),
      binary('{batch,batch-files,batch-journal,batch-rest,batch-targets}'),
    ],
  },
  retry: {
    mutate: [...these('cli/extras/', 'retry', 'posts-wait', 'pairing', 'extra', 'next-step')],
    tests: [
      units('cli/{commands,pairing,retry,seen,wait}'),
      'test/laws/requests.test.ts',
      binary('{retry-failed,retry-wait,wait,batch-targets}'),
    ],
  },
  files: {
    mutate: begun('files/', ''),
    tests: [units('files/*'), binary('batch-files'), faults('{config,trust}')],
  },
  tokens: {
    mutate: [
      ...these(
        'cli/',
        'token',
        'token-check',
        'token-command',
        'token-source',
        'token-store',
        'login-line',
        'keychain',
      ),
    ],
    tests: [
      units('{settings,token-command}'),
      binary('contexts'),
      'test/terminal/{contexts,login}.test.ts',
      faults('{config,credentials,token-sources,trust,typed-secrets}'),
    ],
  },
  consent: {
    mutate: these('cli/', 'consent', 'can-ask'),
    tests: [units('cli/consent'), binary('values'), 'test/terminal/consent.test.ts'],
  },
  redaction: {
    mutate: [
      ...these('output/', 'redact', 'credentials', 'unescape', 'sanitize'),
      ...these('', 'invisible'),
      ...these('cli/', 'mask-secrets', 'redacted', 'proxy-secrets'),
    ],
    tests: [
      units('{text,cell,json}'),
      units('cli/{api,recorded-exchange}'),
      'test/properties/text.test.ts',
      faults('{credentials,typed-secrets}'),
    ],
  },
  gate: {
    mutate: [...these('sandbox/', 'gate', 'authorization')],
    tests: [units('sandbox/{behaviour,exchange,gate,server}'), faults('sandbox')],
  },
  waiting: {
    mutate: [
      ...these('call/', 'settle', 'wait'),
      ...these('cli/', 'waiting', 'waiting-flags', 'waiting-view', 'settled', 'duration'),
    ],
    tests: [
      units('cli/{pairing,retry,wait}'),
      units('{line-progress,wait,settle}'),
      binary('{retry-wait,wait,batch-targets}'),
    ],
  },
};
