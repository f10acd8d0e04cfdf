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
    '  social sandbox show                            an id of every kind',
    '  social sandbox reset                           start over',
    '',
    'It listens on 127.0.0.1 only, wants its own random token, and contacts nobody.',
    '',
    'The API document leaves some things open. There the sandbox assumes:',
    ...assumptions.map((line) => `  - ${line}`),
  ];
}
