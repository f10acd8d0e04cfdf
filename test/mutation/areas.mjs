// What is mutated, and the tests that judge it, area by area. Each area is run by itself: a mutant that lives costs
// every test that reaches it, so an area names those that speak of it and no others.

const units = (names) => `test/units/${names}.test.ts`;
const binary = (names) => `test/binary/${names}.test.ts`;
const faults = (names) => `test/faults/${names}.test.ts`;

export const areas = {
  sending: {
    mutate: [
      'src/call/{request,retry,retry-after,run,answer,any-answer,misfits,identity,cut-up,loopback,under-way}.ts',
    ],
    tests: [
      units('{answer,cut-up,errors,request,retry,run,network,under-way}'),
      units('cli/api'),
      binary('{answers,retry-wait}'),
    ],
  },
  network: {
    mutate: ['src/call/network*.ts'],
    tests: [
      units('network{,-connections,-failure,-pool,-reading,-tunnel}'),
      units('running-time'),
      binary('{timeouts,transport}'),
      faults('{proxy,tls}'),
    ],
  },
  journal: {
    mutate: ['src/call/journal*.ts'],
    tests: [units('batch/{item,journal}'), binary('{batch-journal,batch-files}')],
  },
  batch: {
    mutate: [
      'src/call/{batch,pace,records,lines,csv,shard,hashes,slots,cause}.ts',
      'src/cli/batch*.ts',
    ],
    tests: [
      units('batch/{cause,item,pace,records,tables}'),
      binary('{batch,batch-files,batch-journal,batch-rest,batch-targets}'),
    ],
  },
  retry: {
    mutate: ['src/cli/extras/{retry,posts-wait,pairing,extra,next-step}.ts'],
    tests: [
      units('cli/{commands,pairing,retry,seen,wait}'),
      'test/laws/requests.test.ts',
      binary('{retry-failed,retry-wait,wait,batch-targets}'),
    ],
  },
  files: {
    mutate: ['src/files/*.ts'],
    tests: [
      units('files/*'),
      units('batch/journal'),
      units('sandbox/state'),
      binary('batch-files'),
      faults('{config,locks,names,trust}'),
    ],
  },
  tokens: {
    mutate: [
      'src/cli/{token,token-check,token-command,token-source,token-store,login-line,keychain}.ts',
    ],
    tests: [
      units('{settings,token-command}'),
      binary('contexts'),
      'test/terminal/{contexts,login}.test.ts',
      faults('{config,credentials,token-sources,trust,typed-secrets}'),
    ],
  },
  consent: {
    mutate: ['src/cli/{consent,can-ask}.ts'],
    tests: [
      units('cli/{commands,consent}'),
      'test/laws/requests.test.ts',
      binary('{batch,values}'),
      'test/terminal/consent.test.ts',
    ],
  },
  redaction: {
    mutate: [
      'src/output/{redact,credentials,unescape,sanitize}.ts',
      'src/invisible.ts',
      'src/cli/{mask-secrets,redacted,proxy-secrets}.ts',
    ],
    tests: [
      units('{text,cell,json}'),
      units('cli/{api,recorded-exchange}'),
      'test/properties/text.test.ts',
      faults('{credentials,typed-secrets}'),
    ],
  },
  gate: {
    mutate: ['src/sandbox/{gate,authorization}.ts'],
    tests: [units('sandbox/{behaviour,exchange,gate,server}'), faults('sandbox')],
  },
  waiting: {
    mutate: [
      'src/call/{settle,wait}.ts',
      'src/cli/{waiting,waiting-flags,waiting-view,settled,duration}.ts',
    ],
    tests: [units('cli/{pairing,retry,wait}'), units('{line-progress,wait,settle}'), binary('{retry-wait,wait,batch-targets}')],
  },
};
