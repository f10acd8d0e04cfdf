// `help sandbox`: what the embedded service is, and what it takes for granted.

import { assumptions } from '../../sandbox/assumptions.ts';

export function sandbox(): readonly string[] {
  return [
    'The sandbox',
    '',
    'A real HTTP service that comes with this tool, over a state kept on this machine.',
    '',
    '  social -C sandbox posts get PostSpringLaunch   start it for one command',
    '  social sandbox serve                           run it, to point scripts at',
    '  social sandbox show                            what it holds, with an id of every kind',
    '  social sandbox reset --state outage            start over, here with 240 failed posts',
    '',
    'It listens on 127.0.0.1 only, wants its own random token, and contacts nobody.',
    '',
    'As a test bench for scripts, sandbox serve makes faults on purpose:',
    '',
    "  social sandbox serve --chaos 'latency=200ms±100ms,429=5%,503=2%,reset=1%,lost=1%' --seed 7",
    '',
    '  latency  waits before anything is done; ± may be written +-',
    '  429      or any status from 400 to 599: answers it, and nothing is done',
    '  reset    the connection is reset before anything is done',
    '  lost     all is done, and no answer comes',
    '',
    'The same seed and the same requests meet the same faults. -C sandbox never makes any.',
    '',
    'The API document leaves some things open. There the sandbox assumes:',
    ...assumptions.map((line) => `  - ${line}`),
  ];
}
