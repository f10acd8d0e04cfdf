// Flags that earlier versions had: each is an unknown flag, most with a word on what to do instead.

import { expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';

const read = 'posts get --from /dev/null';
const jq = 'choose with jq: social posts get <post-id> --json, then --from with the records';

it.each([
  [
    `${read} --report junit=a`,
    '--report',
    'use --json: it has everything, one line for each record of a batch',
  ],
  [`${read} --strict`, '--strict', 'a response that does not match the API document is a warning'],
  ['posts retry PostSpringLaunch --error-match x', '--error-match', jq],
  ['posts wait PostSpringLaunch --for draft', '--for', 'a wait ends well when every target'],
  [`${read} --journal j`, '--journal', 'only a command that changes something takes a journal'],
  [`${read} --canary 2`, '--canary', 'only a change that can be waited for takes a canary'],
  [`${read} --fail-fast`, '--fail-fast', 'use --max-failures 1'],
  [
    `${read} --unknown-to a`,
    '--unknown-to',
    'use --journal: social history settle finds out what became of its unknown outcomes',
  ],
])('a removed flag names its replacement: %s', async (line, flag, said) => {
  const { exitCode, stderr } = await socialInProcess(line.split(' '));
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`error: unknown flag "${flag}"\n  ${said}`);
});

it.each([
  ['sandbox serve --record requests', '--record'],
  ['sandbox serve --state outage', '--state'],
  ['sandbox show --ids post', '--ids'],
])('a removed flag without a replacement is unknown: %s', async (line, flag) => {
  const { exitCode, stderr } = await socialInProcess(line.split(' '));
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`error: unknown flag "${flag}"\n`);
});
