// Consent, asked of a person whose answers the test writes: what is asked, in which words, what each answer lets
// pass, and what is sent then. The service listens on a real socket.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { countingServer, idOf } from '../support/counting-server.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli } from '../support/test-cli.ts';
import type { Prompts, Runtime } from '../../src/base/runtime.ts';
import { mayPrompt } from '../../src/prompts/confirm.ts';

const [FIRST, SECOND, THIRD, FOURTH] = [0, 1, 2, 3].map(idOf) as [string, string, string, string];
const disable = ['credentials', 'disable'];
const favourite = ['accounts', 'mastodon', 'favourite', '113', '-a', 'AccountMastodonA'];
const DANGER =
  'Accounts that use this credential stop working; the API shows only afterwards how many.';

/** A person at a terminal who gives these answers, one after the other. */
function person(answers: readonly (boolean | string)[]) {
  const asked: string[] = [];
  const next = (message: string) => {
    asked.push(message);
    if (asked.length > answers.length) throw new Error(`one question too many: ${message}`);
    return answers[asked.length - 1];
  };
  const ask: Partial<Prompts> = {
    confirm: async (message) => next(message) as boolean,
    text: async ({ message, validate }) => {
      const typed = next(message) as string;
      expect(validate(typed)).toBeUndefined();
      return typed;
    },
  };
  return { ask, asked };
}

interface Scene {
  readonly guarded?: boolean;
  /** The answers of the user; without them there is no terminal. */
  readonly answers?: readonly (boolean | string)[];
  /** The lines of a file, whose path stands for `LIST` in what is typed. */
  readonly list?: readonly string[];
}

/** Runs a command in the context `prod`, which is protected or not, and says what was asked and sent. */
async function run(argv: readonly string[], { guarded = false, answers, list = [] }: Scene) {
  const service = await countingServer((id) => ({
    body: JSON.stringify({ ok: true, data: { credential: { id }, impact: {}, action: 'x' } }),
  }));
  const { social, folder } = testCli();
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  writeFileSync(
    join(folder, 'config', 'config.json'),
    JSON.stringify({
      format: 1,
      context: 'prod',
      contexts: { prod: { baseUrl: service.url, protected: guarded } },
    }),
    { mode: 0o600 },
  );
  const path = join(folder, 'list');
  writeFileSync(path, list.join('\n'));
  const { ask, asked } = person(answers ?? []);
  const words = argv.map((word) => (word === 'LIST' ? path : word));
  const { exitCode, stderr } = await social(words, {
    env: { SOCIAL_TOKEN: 'a-token-of-the-test' },
    ...(answers === undefined ? {} : { columns: 200, ask }),
  });
  // The port differs from run to run.
  const { host } = new URL(service.url);
  const named = (text: string) => text.replaceAll(host, 'HOST');
  return { exitCode, stderr: named(stderr), asked: asked.map(named), sent: service.total() };
}

describe('a destructive change', () => {
  it('is described, asked about once, and sent after a yes', async () => {
    const { asked, exitCode, stderr, sent } = await run([...disable, FIRST], { answers: [true] });
    expect(asked).toEqual([`Disable credential "${FIRST}" in prod at HOST?`]);
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: 1 });
    expect(stderr).toContain(DANGER);
  });

  it('is not sent after a no', async () => {
    const { exitCode, stderr, sent } = await run([...disable, FIRST], { answers: [false] });
    expect({ exitCode, sent }).toEqual({ exitCode: 3, sent: 0 });
    expect(stderr).toContain('not confirmed; nothing was sent');
  });

  it.each([
    ['--yes', ['--yes']],
    ['its id', ['--confirm', FIRST]],
    ['its id among others', ['--confirm', SECOND, '--confirm', FIRST]],
  ])('asks nothing with %s', async (_what, flags) => {
    for (const answers of [undefined, []]) {
      const scene = answers === undefined ? {} : { answers };
      const ended = await run([...disable, FIRST, ...flags], scene);
      expect(ended).toMatchObject({ exitCode: 0, asked: [], sent: 1 });
      expect(ended.stderr).not.toContain(DANGER);
    }
  });

  it('of three IDs names them all, and of four the first three and their number', async () => {
    const three = await run([...disable, FIRST, SECOND, THIRD], { answers: [false] });
    expect(three.asked).toEqual([
      `Disable credential "${FIRST}", "${SECOND}", "${THIRD}" in prod at HOST?`,
    ]);
    const four = await run([...disable, FIRST, SECOND, THIRD, FOURTH], { answers: [false] });
    expect(four.asked).toEqual([
      `Disable 4 credentials ("${FIRST}", "${SECOND}", "${THIRD}", …) in prod at HOST?`,
    ]);
  });

  it('of several IDs is one question, also when some are confirmed', async () => {
    const argv = [...disable, FIRST, SECOND, '--confirm', FIRST];
    const { asked, exitCode, sent } = await run(argv, { answers: [true] });
    expect(asked).toEqual([`Disable credential "${FIRST}", "${SECOND}" in prod at HOST?`]);
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: 2 });
  });

  it.each([
    ['no terminal', [], undefined],
    ['--no-input', ['--no-input'], [true]],
  ])(
    'with %s is refused, with the reason, the options and the line to type',
    async (_what, flags, answers) => {
      const ended = await run([...disable, FIRST, SECOND, ...flags], answers ? { answers } : {});
      expect(ended).toMatchObject({ exitCode: 2, asked: [], sent: 0 });
      expect(ended.stderr).toContain(
        `confirmation required: credentials disable "${FIRST}", "${SECOND}"`,
      );
      expect(ended.stderr).toContain(DANGER);
      expect(ended.stderr).toContain('use --yes, or --confirm <id> for each ID');
      expect(ended.stderr).toContain(
        `social -C prod credentials disable ${[FIRST, SECOND, ...flags].join(' ')} --yes\n`,
      );
    },
  );

  it('keeps the note in the line to type', async () => {
    const ended = await run([...disable, FIRST, '--note', 'INC 1'], {});
    expect(ended.stderr).toContain(`credentials disable ${FIRST} --note 'INC 1' --yes\n`);
  });

  it('names another ID that was confirmed instead', async () => {
    const ended = await run([...disable, FIRST, '--confirm', SECOND], {});
    expect(ended).toMatchObject({ exitCode: 2, sent: 0 });
    expect(ended.stderr).toContain(`--confirm names "${SECOND}", not "${FIRST}"\n`);
    expect(ended.stderr).not.toContain('try:');
    const whole = await run([...disable, FIRST, SECOND, '--confirm', SECOND], {});
    expect(whole.stderr).not.toContain('--confirm names');
  });

  it('is refused as a JSON object too: nothing was sent, and repeating does not help', async () => {
    const ended = await run([...disable, FIRST, SECOND, THIRD, FOURTH, '--json'], {});
    const { error } = JSON.parse(ended.stderr) as { error: Record<string, unknown> };
    const ids = [FIRST, SECOND, THIRD, FOURTH];
    expect(error).toMatchObject({
      exitCode: 2,
      message: `confirmation required: credentials disable 4 IDs ("${FIRST}", "${SECOND}", "${THIRD}", …)`,
      sent: false,
      retryable: false,
      why: [expect.stringContaining(DANGER), 'use --yes, or --confirm <id> for each ID'],
      next: `social -C prod credentials disable ${ids.join(' ')} --json --yes`,
    });
    const no = await run([...disable, FIRST, '--json'], { answers: [false] });
    const declined = JSON.parse(no.stderr.trim().split('\n').at(-1)!) as { error: object };
    expect(declined.error).toMatchObject({ exitCode: 3, sent: false, retryable: false });
  });

  it.each([
    ['it’s one', `--yes ads audiences delete -- 'it’s one'`],
    ['-x', '--yes ads audiences delete -- -x'],
  ])('of %s suggests a line that confirms it', async (id, words) => {
    const remove = ['ads', 'audiences', 'delete', '--'];
    const ended = await run([...remove, id], {});
    const [, line] = /^try: social -C prod (.*)$/m.exec(ended.stderr)!;
    expect(line).toBe(words);
    expect(await run(splitWords(line!), {})).toMatchObject({ exitCode: 0, sent: 1 });
  });

  it('of a list is refused with the line that names the list', async () => {
    const argv = [...disable, '--from', 'LIST'];
    const ended = await run(argv, { list: [FIRST, SECOND] });
    expect(ended).toMatchObject({ exitCode: 2, sent: 0 });
    expect(ended.stderr).toContain('confirmation required');
    expect(ended.stderr).toMatch(/^try: social -C prod credentials disable --from \S+ --yes$/m);
  });
});

describe('in a protected context', () => {
  const guarded = true;

  it('a destructive change needs each ID typed, despite --yes', async () => {
    for (const flags of [[], ['--yes']]) {
      const argv = [...disable, FIRST, SECOND, ...flags];
      const ended = await run(argv, { guarded, answers: [FIRST, SECOND] });
      const { asked, exitCode, sent } = ended;
      const question = `Disable credential "${FIRST}", "${SECOND}" in prod (protected) at HOST?`;
      expect(asked).toEqual([`Type "${FIRST}" to confirm:`, `Type "${SECOND}" to confirm:`]);
      expect(ended.stderr.replaceAll('\n', ' ')).toContain(`${question} `);
      expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: 2 });
    }
  });

  it.each([
    ['the first', ['no'], 1],
    ['the second', [FIRST, FIRST], 2],
    ['the second, for which nothing is typed', [FIRST, ''], 2],
  ])('typing %s instead cancels, and nothing is sent', async (_what, answers, questions) => {
    const ended = await run([...disable, FIRST, SECOND], { guarded, answers });
    expect(ended).toMatchObject({ exitCode: 3, sent: 0 });
    expect(ended.asked).toHaveLength(questions);
    expect(ended.stderr).toContain('the typed ID did not match; nothing was sent');
  });

  it('--confirm leaves only the other IDs to be typed', async () => {
    const argv = [...disable, FIRST, SECOND, '--confirm', FIRST];
    const { asked, exitCode, sent } = await run(argv, { guarded, answers: [SECOND] });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`Type "${SECOND}" to confirm:`);
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: 2 });
  });

  it.each([
    ['each of three', [FIRST, SECOND, THIRD], [THIRD, SECOND, FIRST], 0],
    ['none of them', [FIRST, SECOND, THIRD], [], 2],
    ['all but the last', [FIRST, SECOND, THIRD], [FIRST, SECOND], 2],
    ['the end of an ID', [FIRST], [FIRST.slice(-8)], 2],
    ['an ID in capitals', [FIRST], [FIRST.toUpperCase()], 2],
  ])('--confirm of %s counts, together with --yes', async (_what, list, some, exitCode) => {
    const flags = ['--yes', ...some.flatMap((id) => ['--confirm', id])];
    const sent = exitCode === 0 ? list.length : 0;
    for (const ids of [list, ['--from', 'LIST']])
      expect(await run([...disable, ...flags, ...ids], { guarded, list })).toMatchObject({
        exitCode,
        sent,
      });
  });

  it('without a terminal the error says that --yes is not enough, and what is', async () => {
    const ended = await run([...disable, FIRST, '--yes'], { guarded });
    expect(ended).toMatchObject({ exitCode: 2, asked: [], sent: 0 });
    expect(ended.stderr).toContain(' in prod (protected)');
    expect(ended.stderr).toContain('use --confirm <id> for each ID; --yes is not enough here');
    expect(ended.stderr).toContain('a person has to type the ID');
    expect(ended.stderr).not.toContain('try:');
  });

  it('any change is asked about, and --yes confirms', async () => {
    const asked = await run(favourite, { guarded, answers: [true] });
    expect(asked).toMatchObject({ exitCode: 0, sent: 1 });
    expect(asked.asked).toEqual([
      'Run accounts mastodon favourite on "113" in prod (protected) at HOST?',
    ]);
    expect(await run(favourite, { guarded, answers: [false] })).toMatchObject({
      exitCode: 3,
      sent: 0,
    });
    expect(await run([...favourite, '--yes'], { guarded })).toMatchObject({ exitCode: 0, sent: 1 });
  });

  it('a change without a terminal is refused with the whole line to type', async () => {
    const ended = await run(favourite, { guarded });
    expect(ended).toMatchObject({ exitCode: 2, sent: 0 });
    expect(ended.stderr).toContain(`try: social -C prod ${favourite.join(' ')} --yes\n`);
    // After `--` the flag would be an ID.
    const ids = [...favourite.slice(0, 3), '-a', 'AccountMastodonA', '--', '113'];
    const { stderr: open } = await run(ids, { guarded });
    expect(open).toContain(`try: social -C prod --yes ${ids.join(' ')}\n`);
    const { stderr } = await run([...favourite, '--json'], { guarded });
    const { error } = JSON.parse(stderr) as { error: object };
    expect(error).toMatchObject({ why: ['use --yes, or --confirm <id> for each ID'] });
    expect(ended.stderr).toContain('use --yes, or --confirm <id> for each ID');
  });

  it('a read asks nothing', async () => {
    const ended = await run(['posts', 'get', FIRST, '-q'], { guarded });
    expect(ended).toMatchObject({ asked: [], sent: 1 });
  });
});

it.each([
  [false, true, true, true],
  [true, true, true, false],
  [false, false, true, false],
  [false, true, false, false],
])('with --no-input %s, stdin %s and stderr %s a terminal: %s', (noInput, stdin, stderr, may) => {
  const runtime = { stdin: { isTTY: stdin }, stderr: { isTTY: stderr } } as Runtime;
  expect(mayPrompt({ noInput }, runtime)).toBe(may);
});
