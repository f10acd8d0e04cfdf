// `--report`: JUnit XML and GitHub's annotations and summary, of batches and waits, with the texts of a hostile
// service.

import { existsSync, readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get, retry } from '../../../src/api/operations/posts.ts';
import { Failure, type FailureFacts } from '../../../src/base/errors.ts';
import type { FailureKind } from '../../../src/base/exit-codes.ts';
import { reported } from '../../../src/batch/report/ci-report.ts';
import type { RunReport } from '../../../src/batch/types.ts';
import { countingServer, idList, idOf, post, type Reply } from '../../support/counting-server.ts';
import { targetPost, targets } from '../../support/posts.ts';
import { NOON, temporaryFolder, testCli } from '../../support/test-cli.ts';
import { CANARY } from '../../support/token-leak-check.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const decoded = (text: string): string => {
  if (/[<>]|&(?!(?:amp|lt|gt|quot|#\d+);)/.test(text)) throw new Error(`not escaped: ${text}`);
  return text.replace(/&(?:#(\d+)|(\w+));/g, (_all, number, name: string) =>
    number === undefined ? NAMED[name]! : String.fromCodePoint(Number(number)),
  );
};

/** Reads XML strictly; throws where it is not well-formed. */
function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  if (/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(xml))
    throw new Error('not XML 1.0');
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  expect(xml.startsWith(declaration)).toBe(true);
  for (const [part, end, name, given, empty] of xml
    .slice(declaration.length)
    .matchAll(/<(\/)?([a-z]+)((?: [a-z]+="[^"<]*")*) *(\/)?>|[^<]+|</g)) {
    const at = open.at(-1)!;
    if (name === undefined) at.text += decoded(part);
    else if (end !== undefined) {
      if (open.pop()!.name !== name) throw new Error(`not closed: ${name}`);
    } else {
      const attributes = Object.fromEntries(
        [...given!.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [
          key,
          decoded(value!),
        ]),
      );
      const element = { name, attributes, children: [], text: '' };
      at.children.push(element);
      if (empty === undefined) open.push(element);
    }
  }
  expect(open).toEqual([root]);
  return root.children[0]!;
}

const HOSTILE = `]]><script>&amp;"'\u0000\u001b[31m\ufffe\ud800%0A::error::x\n::add-mask::y\r| \`z\` </details>[a](https://evil.example) ${CANARY}`;

const refusal = (status: number, message: string): Reply => ({
  status,
  body: JSON.stringify({ ok: false, error: { code: 'invalid', message, details: null } }),
});

async function run(
  line: string,
  reply: Parameters<typeof countingServer>[0],
  setting: { list?: string; signal?: AbortSignal; env?: Readonly<Record<string, string>> } = {},
) {
  const service = await countingServer(reply);
  const { social, folder } = testCli();
  const summary = join(folder, 'summary.md');
  const { list, signal, env } = setting;
  const words = line
    .split(' ')
    .map((word) => word.replace(/^(junit=|@)/, `$1${folder}/`).replace(/^@/, ''));
  const outcome = await social(words, {
    env: {
      SOCIAL_BASE_URL: service.url,
      SOCIAL_TOKEN: CANARY,
      GITHUB_STEP_SUMMARY: summary,
      ...env,
    },
    ...(list === undefined ? {} : { stdin: list }),
    ...(signal === undefined ? {} : { signal }),
  });
  const read = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;
  const junit = read('out.xml');
  return {
    ...outcome,
    folder,
    service,
    suite: () => parseXml(junit!).children[0]!,
    junit,
    summary: read('summary.md'),
    commands: outcome.stderr.split('\n').filter((each) => each.startsWith('::')),
  };
}

/** Five records: one each of what can become of a record. */
const mixed = (id: string): Reply => {
  if (id === idOf(1)) return refusal(422, HOSTILE);
  if (id === idOf(2)) return { cut: true };
  if (id === idOf(3))
    return { status: 409, body: JSON.stringify({ error: { code: 'conflict', message: 'No.' } }) };
  return {};
};
const MIXED = 'posts reply --from - --concurrency 1 --max-failures 3 --retries 0 --report';
const records = Array.from(
  { length: 6 },
  (_, i) => `${JSON.stringify({ postId: idOf(i), targetId: 'TargetSpringLink', text: 'Hi' })}\n`,
).join('');

describe('the reports of a run', () => {
  const failure = (kind: FailureKind, facts: Partial<FailureFacts> = {}) =>
    new Failure(kind, { what: `it was ${kind}`, ...facts });
  type Work = Parameters<typeof reported>[2];
  type Add = Parameters<RunReport['add']>;

  interface Scene {
    readonly reports?: { readonly junit?: boolean; readonly github?: boolean };
    readonly operation?: unknown;
    readonly hooks?: object;
    readonly breaks?: boolean;
  }

  /** What the reports of this work are, and what it ends with. */
  async function reportOf(
    work: (report: RunReport, clock: { now: number }) => Promise<void>,
    scene: Scene = {},
  ) {
    const { reports = { junit: true, github: true }, operation = retry, hooks = {} } = scene;
    const folder = temporaryFolder();
    const [junit, summary] = ['out.xml', 'summary.md'].map((name) => join(folder, name));
    const said: string[] = [];
    const clock = { now: 10_000 };
    const runtime = {
      monotonic: () => clock.now,
      now: () => NOON,
      secrets: { mask: (text: string) => text.replaceAll('secret', '[redacted]') },
      stderr: { write: async (text: string) => void said.push(text) },
      env: { GITHUB_STEP_SUMMARY: scene.breaks ? join(folder, 'none', 'x') : summary! },
      note: (line: string) => void said.push(`${line}\n`),
      signal: new AbortController().signal,
    };
    const prepared = {
      command: 'social posts retry',
      reports: {
        junit: reports.junit ? junit : undefined,
        github: reports.github === true,
      },
      operation,
      hooks,
      flags: {},
    };
    const inner: Work = (report) => work(report, clock);
    const ended: unknown = await reported(prepared as never, runtime as never, inner).then(
      () => undefined,
      (error: unknown) => error,
    );
    const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
    return { ended, said: said.join(''), junit: read(junit!), summary: read(summary!) };
  }
  const add = (report: RunReport, line: number, ended: Add[1], verdict: Add[2]) =>
    report.add({ line, input: { postId: `Post${line}` } }, ended, verdict);
  const quota = 'The daily posting quota is reached.';
  const bad = targetPost([
    targets.linkedin('failed', quota),
    targets.mastodon('failed', 'Too\nlong.'),
  ]);

  /** One record of each end. */
  const all = async (report: RunReport, clock: { now: number }) => {
    report.begin(1);
    clock.now += 1500;
    add(report, 1, {}, 'ok');
    report.begin(2);
    clock.now += 250;
    add(
      report,
      2,
      {
        failure: failure('refused', { what: 'a "b" <c>\n& d', why: ['because'], requestId: 'r1' }),
      },
      'failed',
    );
    add(report, 3, { data: bad, failure: failure('ended_badly') }, 'failed');
    add(report, 4, { failure: failure('outcome_unknown') }, 'unknown');
    add(report, 5, { failure: failure('still_pending') }, 'accepted');
    add(report, 6, {}, 'skipped');
    add(report, 7, { failure: failure('interrupted') }, 'unstarted');
    add(report, 8, { failure: failure('no_answer', { what: 'of a secret' }) }, 'failed');
    clock.now += 250;
  };

  it('have the records one by one, and the totals', async () => {
    const { ended, junit, said } = await reportOf(all, { reports: { junit: true } });
    expect([ended, said]).toEqual([undefined, '']);
    expect(junit!.replace(/ +>/g, '>').replace(/<(failure|error)( [^>]*)>[^<]*</g, '<$1$2><'))
      .toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
      <testsuite name="social posts retry" tests="8" failures="3" errors="2" skipped="2" time="2.000" timestamp="2026-03-02T12:00:00">
      <testcase classname="social.posts.retry" name="Post1" time="1.500"/>
      <testcase classname="social.posts.retry" name="Post2" time="0.250"><failure message="a &quot;b&quot; &lt;c&gt;&#10;&amp; d" type="refused"></failure></testcase>
      <testcase classname="social.posts.retry" name="Post3" time="0.000"><failure message="it was ended_badly" type="ended_badly"></failure></testcase>
      <testcase classname="social.posts.retry" name="Post4" time="0.000"><error message="it was outcome_unknown" type="outcome_unknown"></error></testcase>
      <testcase classname="social.posts.retry" name="Post5" time="0.000"><failure message="it was still_pending" type="still_pending"></failure></testcase>
      <testcase classname="social.posts.retry" name="Post6" time="0.000"><skipped message="nothing to do"/></testcase>
      <testcase classname="social.posts.retry" name="Post7" time="0.000"><skipped message="not started"/></testcase>
      <testcase classname="social.posts.retry" name="Post8" time="0.000"><error message="of a [redacted]" type="no_answer"></error></testcase>
      </testsuite>
      </testsuites>
      "
    `);
    const texts = [...junit!.matchAll(/<(?:failure|error)[^>]*>([^<]*)</g)].map(([, text]) => text);
    expect(texts).toMatchInlineSnapshot(`
      [
        "error: a "b" &lt;c&gt;⏎&amp; d
        because
        request id: r1",
        "error: it was ended_badly
      linkedin: The daily posting quota is reached. (platform)
      mastodon: Too⏎long. (other)",
        "error: it was outcome_unknown
        The request may have been applied. It was not retried.",
        "error: it was still_pending",
        "error: of a [redacted]",
      ]
    `);
  });

  it('annotate what failed, and have a page of all', async () => {
    const { ended, said, summary } = await reportOf(all, { reports: { github: true } });
    expect(ended).toBeUndefined();
    expect(said).toMatchInlineSnapshot(`
      "::error title=social posts retry%3A Post2::a "b" <c>⏎& d%0Abecause
      ::error title=social posts retry%3A Post3::it was ended_badly%0Alinkedin: The daily posting quota is reached. (platform)%0Amastodon: Too⏎long. (other)
      ::error title=social posts retry%3A Post4::it was outcome_unknown
      ::error title=social posts retry%3A Post5::it was still_pending
      ::error title=social posts retry%3A Post8::of a [redacted]
      "
    `);
    expect(summary).toMatchInlineSnapshot(`
      "### \`social posts retry\`

      | Result | Records |
      | --- | --- |
      | ok | 1 |
      | failed | 3 |
      | unknown | 1 |
      | pending | 1 |
      | skipped | 1 |
      | not started | 1 |

      | Cause | Records |
      | --- | --- |
      | request | 1 |
      | platform | 1 |
      | unknown | 1 |
      | temporary | 1 |

      | Record | Result | Error | Platforms |
      | --- | --- | --- | --- |
      | \`Post2\` | failed | a "b" \\<c\\>⏎\\& d |  |
      | \`Post3\` | failed | it was ended\\_badly | linkedin: The daily posting quota is reached. (platform); mastodon: Too⏎long. (other) |
      | \`Post4\` | unknown | it was outcome\\_unknown |  |
      | \`Post5\` | pending | it was still\\_pending |  |
      | \`Post8\` | failed | of a \\[redacted\\] |  |

      "
    `);
  });

  it('lead to what to do next, and name the cause of most first', async () => {
    const stopped = failure('batch_failed', { what: 'stopped', next: 'social mend', why: ['w'] });
    const { ended, summary, said } = await reportOf(
      async (report) => {
        for (let line = 1; line < 4; line++)
          add(report, line, { failure: failure(line === 1 ? 'refused' : 'no_answer') }, 'failed');
        throw stopped;
      },
      { reports: { github: true } },
    );
    expect(ended).toBe(stopped);
    expect(said.match(/::error/g)).toHaveLength(3);
    expect(summary).toMatchInlineSnapshot(`
      "### \`social posts retry\`

      stopped

      | Result | Records |
      | --- | --- |
      | failed | 3 |

      | Cause | Records |
      | --- | --- |
      | temporary | 2 |
      | request | 1 |

      | Record | Result | Error | Platforms |
      | --- | --- | --- | --- |
      | \`Post1\` | failed | it was refused |  |
      | \`Post2\` | failed | it was no\\_answer |  |
      | \`Post3\` | failed | it was no\\_answer |  |

      Next: \`social mend\`

      "
    `);
  });

  it('show ten annotations and a hundred rows', async () => {
    const many = (count: number) =>
      reportOf(
        async (report) => {
          for (let line = 1; line <= count; line++)
            add(report, line, { failure: failure('refused') }, 'failed');
        },
        { reports: { github: true } },
      );
    const [ten, hundred, more] = await Promise.all([many(10), many(100), many(103)]);
    expect(ten.said.match(/^::/gm)).toHaveLength(10);
    expect(hundred.said).toContain(
      '::warning title=social posts retry::90 more failed; GitHub shows 10 of a step\n',
    );
    const rows = (summary: string | undefined) => summary!.match(/^\| `Post/gm)!.length;
    expect([ten, hundred, more].map(({ summary }) => rows(summary))).toEqual([10, 100, 100]);
    expect(hundred.summary).not.toContain('more failed');
    expect(more.summary).toMatch(/\n\n3 more failed\.\n\n$/);
  });

  it('of nothing say so', async () => {
    const { summary, junit, said } = await reportOf(async () => undefined);
    expect(said).toBe('');
    expect(summary).toMatchInlineSnapshot(`
      "### \`social posts retry\`

      | Result | Records |
      | --- | --- |

      "
    `);
    expect(parseXml(junit!).children[0]!.attributes).toMatchObject({ tests: '0', time: '0.000' });
  });

  it('have the end of a run that no record has as a case of its own', async () => {
    const cases = async (verdict: Add[2] | undefined) => {
      const { junit, ended } = await reportOf(
        async (report, clock) => {
          const why = verdict === 'ok' ? {} : { failure: failure('refused') };
          if (verdict !== undefined) add(report, 1, why, verdict);
          clock.now += 2000;
          throw failure('unauthorized', { what: 'no secret' });
        },
        { reports: { junit: true } },
      );
      expect((ended as Failure).kind).toBe('unauthorized');
      return parseXml(junit!).children[0]!.children.map(({ attributes }) => [
        attributes['name'],
        attributes['time'],
      ]);
    };
    const alone = await reportOf(async () => Promise.reject(failure('refused')));
    expect(alone.summary).toContain('| failed | 1 |\n');
    const [only] = parseXml(alone.junit!).children[0]!.children;
    expect(only!.children[0]!.text).toBe('error: it was refused');
    const own = ['social posts retry', '2.000'];
    const one = ['Post1', '0.000'];
    expect(await cases(undefined)).toEqual([own]);
    expect(await cases('ok')).toEqual([one, own]);
    expect(await cases('skipped')).toEqual([one, own]);
    expect(await cases('unstarted')).toEqual([one, own]);
    for (const verdict of ['failed', 'unknown', 'accepted'] as const)
      expect(await cases(verdict)).toEqual([one]);
  });

  it('name a record by its ID and its parts, in a text that may be shown', async () => {
    const names = async (operation: unknown, input: object) => {
      const { junit } = await reportOf(
        async (report) => report.add({ line: 1, input: input as never }, {}, 'ok'),
        { reports: { junit: true }, operation },
      );
      return parseXml(junit!).children[0]!.children.map(({ attributes }) => attributes['name']);
    };
    expect(await names(retry, { postId: 'A', targetIds: ['T1', 'T2'] })).toEqual(['A T1 T2']);
    expect(await names(retry, { postId: 'A' })).toEqual(['A']);
    expect(await names(get, { postId: 'A', other: 'B' })).toEqual(['A']);
    expect(await names(get, { postId: 'a secret\n' })).toEqual(['a [redacted]⏎']);
    expect(await names(get, { postId: 'a\ufffeb' })).toEqual(['a\ufffdb']);
    expect((await names(get, { postId: 'x'.repeat(400) }))[0]!.length).toBeLessThan(310);
  });

  it('list twenty errors of a record, each of three hundred characters', async () => {
    const texts = Array.from({ length: 23 }, (_, i) => `Reason ${i} ${'x'.repeat(400)}`);
    const data = targetPost(texts.map((text) => targets.linkedin('failed', text)));
    const { junit } = await reportOf(
      async (report) => add(report, 1, { data, failure: failure('ended_badly') }, 'failed'),
      { reports: { junit: true } },
    );
    const lines = junit!.split('\n').filter((line) => line.includes('linkedin: Reason'));
    expect(lines).toHaveLength(20);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(330);
  });

  it.each<readonly [string, Failure | object, string, string | undefined]>([
    ['went well', {}, 'ok', undefined],
    ['had nothing to do', { isSkipped: true }, 'skipped', 'nothing to do'],
    ['was refused', failure('refused'), 'failed', 'refused'],
    ['was lost', failure('outcome_unknown'), 'unknown', 'outcome_unknown'],
    ['was cut off', failure('interrupted', { outcome: 'unknown' }), 'unknown', 'interrupted'],
    ['goes on', failure('still_pending'), 'pending', 'still_pending'],
    ['was interrupted', failure('interrupted'), 'not started', 'not started'],
    [
      'was interrupted in its wait',
      failure('interrupted', { isWaiting: true }),
      'pending',
      'interrupted',
    ],
    ['was wrong', failure('usage'), 'not started', 'not started'],
    ['was declined', failure('declined'), 'not started', 'not started'],
    ['was judged', { data: 'judged' }, 'failed', 'refused'],
  ])('of one call that %s', async (_what, end, state, what) => {
    const hooks = {
      judge: (data: unknown) => {
        if (data === 'judged') throw failure('refused');
      },
    };
    for (const throws of end instanceof Failure ? [true, false] : [false]) {
      const call = async () => {
        if (end instanceof Failure && throws) throw end;
        return end instanceof Failure ? { data: undefined, failure: end } : (end as never);
      };
      const { summary, junit, ended } = await reportOf(
        async (report, clock) => {
          const timed = () => {
            clock.now += 3000;
            return call();
          };
          await report.only({ postId: 'A' }, timed);
        },
        { hooks },
      );
      expect(ended).toBe(throws ? end : undefined);
      expect(summary).toContain(`| ${state} | 1 |\n`);
      const [first, ...others] = parseXml(junit!).children[0]!.children;
      expect(first!.attributes).toMatchObject({ name: 'A', time: '3.000' });
      const [inner] = first!.children;
      expect(inner?.attributes['type'] ?? inner?.attributes['message']).toBe(what);
      expect(others).toHaveLength(throws && state === 'not started' ? 1 : 0);
    }
  });

  it('that cannot be written say so beside what the run ends with, or are its end', async () => {
    const scene = { breaks: true };
    const good = await reportOf(async () => undefined, scene);
    expect((good.ended as Failure).kind).toBe('local_io');
    expect(good.junit).toContain('</testsuites>');
    const stopped = failure('batch_failed');
    const unwell = await reportOf(async () => Promise.reject(stopped), scene);
    expect(unwell.ended).toBe(stopped);
    expect(unwell.said).toMatch(/^(::error .*\n)warning: --report: .*none.*\n$/);
  });
});

describe('--report junit', () => {
  it('has a case for each record, with what became of it', async () => {
    const { exitCode, suite, folder } = await run(`${MIXED} junit=out.xml`, mixed, {
      list: records,
    });
    expect(exitCode).toBe(11);
    const { attributes, children } = suite();
    expect(attributes).toMatchObject({
      name: 'social posts reply',
      tests: '6',
      failures: '2',
      errors: '1',
      skipped: '2',
      timestamp: new Date(NOON).toISOString().slice(0, 19),
    });
    expect(children.map(({ attributes: { name } }) => name)).toEqual(
      Array.from({ length: 6 }, (_, i) => idOf(i)),
    );
    expect(
      children.map(({ children: [inner] }) => [
        inner?.name,
        inner?.attributes['type'] ?? inner?.attributes['message'],
      ]),
    ).toEqual([
      [undefined, undefined],
      ['failure', 'refused'],
      ['error', 'outcome_unknown'],
      ['failure', 'refused'],
      ['skipped', 'not started'],
      ['skipped', 'not started'],
    ]);
    expect(children[2]!.children[0]!.text).toContain('The request may have been applied.');
    expect(existsSync(join(folder, 'out.xml.lock'))).toBe(false);
  });

  it('shows the service’s text as text, without secrets', async () => {
    const { junit, suite } = await run(`${MIXED} junit=out.xml`, mixed, { list: records });
    const { text, attributes } = suite().children[1]!.children[0]!;
    for (const shown of [text, attributes['message']!]) {
      expect(shown).toContain(`]]><script>&amp;"'\\u{0}\\u{1b}[31m`);
      expect(shown).toContain('[redacted]');
    }
    expect(junit).not.toContain(CANARY);
  });

  it('tells which target failed in a wait, of one post and of several', async () => {
    const failing = (id: string): Reply => ({
      body: post(id, id === idOf(1) ? 'failed' : 'published', { error: 'caption too long' }),
    });
    const one = await run(`posts wait ${idOf(1)} --report junit=out.xml`, failing);
    expect(one.exitCode).toBe(10);
    expect(one.suite().attributes).toMatchObject({ tests: '1', failures: '1' });
    const [inner] = one.suite().children[0]!.children;
    expect(inner!.text).toContain('linkedin: caption too long (content)');
    const many = await run(`posts wait ${idOf(0)} ${idOf(1)} --report junit=out.xml`, failing);
    expect(many.suite().attributes).toMatchObject({ tests: '2', failures: '1', errors: '0' });
    const good = await run(`posts wait ${idOf(0)} --report junit=out.xml`, failing);
    expect([good.exitCode, good.suite().attributes['failures']]).toEqual([0, '0']);
  });

  it('is written after an interrupt with what is known', async () => {
    const controller = new AbortController();
    const reply = (id: string): Reply => {
      if (id === idOf(1)) controller.abort(new Failure('interrupted', { what: 'cancelled' }));
      return {};
    };
    const line = 'posts get --from - --concurrency 1 --report junit=out.xml';
    const { exitCode, suite } = await run(line, reply, {
      list: idList(4),
      signal: controller.signal,
    });
    expect(exitCode).toBe(130);
    const kinds = suite().children.map(({ attributes, children: [inner] }) => [
      attributes['name'],
      inner?.name,
    ]);
    expect(kinds[0]).toEqual([idOf(0), undefined]);
    expect(kinds.slice(2)).toEqual([
      [idOf(2), 'skipped'],
      [idOf(3), 'skipped'],
      ['social posts get', 'error'],
    ]);
  });

  it('says of one change that was interrupted in its wait that it is pending', async () => {
    const controller = new AbortController();
    const reply = (id: string): Reply => {
      setTimeout(() => controller.abort(new Failure('interrupted', { what: 'cancelled' })), 100);
      return { body: post(id, 'publishing') };
    };
    const line = `posts retry ${idOf(1)} --wait --report junit=out.xml`;
    const { exitCode, suite } = await run(line, reply, { signal: controller.signal });
    expect(exitCode).toBe(130);
    const { attributes, children } = suite();
    expect(attributes).toMatchObject({ tests: '1', failures: '1', errors: '0', skipped: '0' });
    expect(children[0]!.children[0]!.attributes['message']).toBe(
      'stopped waiting: 0 of 1 target finished',
    );
  });

  it('is not green where the whole run failed, and empty where there was nothing', async () => {
    const line = 'posts get --from - --concurrency 1 --report junit=out.xml';
    const refused = await run(line, () => refusal(401, 'no'), { list: idList(2) });
    expect(refused.exitCode).toBe(4);
    expect(refused.suite().attributes).toMatchObject({ errors: '1', skipped: '2' });
    const empty = await run(`${line} --allow-empty`, () => ({}), { list: '\n' });
    expect([empty.exitCode, empty.suite().attributes['tests']]).toEqual([0, '0']);
  });

  it.each([
    [() => ({}), 13, 'error: cannot write '],
    [() => refusal(422, 'No.'), 11, 'warning: --report: cannot write '],
  ])(
    'that cannot be written ends with 13 only where all else is well',
    async (answer, code, said) => {
      const { social, folder } = testCli();
      const place = join(folder, 'reports');
      mkdirSync(place);
      const service = await countingServer(() => {
        rmSync(place, { recursive: true, force: true });
        return answer();
      });
      const file = join(place, 'out.xml');
      const { exitCode, stderr } = await social(
        ['posts', 'get', '-q', '--from', '-', '--report', `junit=${file}`],
        { env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY }, stdin: idList(2) },
      );
      expect(exitCode).toBe(code);
      expect(stderr).toContain(said);
    },
  );

  it('where no file can be made, nothing is sent', async () => {
    const { exitCode, service, stderr } = await run(
      'posts get --from - --report junit=../../../dev/null/out.xml',
      () => ({}),
      { list: idList(2) },
    );
    expect(exitCode).toBe(13);
    expect(stderr).toContain('cannot write');
    expect(service.total()).toBe(0);
  });
});

describe('--report github', () => {
  it('annotates the first ten failures, and text can neither be a command nor end one', async () => {
    const { commands, stdout, stderr } = await run(
      'posts get --from - --json --report github',
      () => refusal(422, HOSTILE),
      { list: idList(12) },
    );
    expect(commands).toHaveLength(11);
    const [first, last] = [commands[0]!, commands.at(-1)!];
    expect(first).toContain(`::error title=social posts get%3A Postal`);
    expect(first).toContain('%250A::error::x⏎::add-mask::y');
    expect(first).not.toContain(CANARY);
    expect(last).toBe('::warning title=social posts get::2 more failed; GitHub shows 10 of a step');
    expect(stdout).not.toMatch(/^::/m);
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1)!)).toMatchObject({ ok: false });
  });

  it('leaves no command of the service in the log', async () => {
    const message = 'x ##[stop-commands]y';
    const details = { '::add-mask::a': '##[add-mask]b', list: ['::error::c'] };
    const body = JSON.stringify({ ok: false, error: { code: '::debug::d', message, details } });
    const failing = (form: string) =>
      run(`posts wait ${idOf(0)} --report github${form}`, () => ({ status: 422, body }), {
        env: { GITHUB_ACTIONS: 'true' },
      });
    const [text, json] = await Promise.all([failing(''), failing(' --json')]);
    for (const { stderr } of [text, json]) {
      // As the runner reads them.
      const taken = stderr.split('\n').filter((line) => /^\s*::[^:]*::|##\[.*\]/.test(line));
      expect(taken).toEqual([expect.stringMatching(/^::error title=/)]);
    }
    expect(text.stderr).toContain(String.raw`  \u003a:add-mask::a: #\u0023[add-mask]b`);
    expect(JSON.parse(json.stderr.trimEnd().split('\n').at(-1)!)).toMatchObject({
      error: { message, details },
    });
  });

  it('appends a summary in which nothing of the service is markup', async () => {
    const { summary } = await run(`${MIXED} github`, mixed, { list: records });
    expect(summary).toMatch(/^### `social posts reply`\n/);
    expect(summary).toContain('| ok | 1 |\n');
    expect(summary).toContain('| not started | 2 |\n');
    expect(summary).toContain('| content | 1 |');
    const [row] = summary!
      .split('\n')
      .filter((each) => each.includes(idOf(1)) && each.startsWith('| `'));
    expect(row).toContain('\\]\\]\\>\\<script\\>\\&amp;');
    expect(row).toContain('\\| \\`z\\` \\</details\\>');
    expect(row).toContain(String.raw`\[a\](https\://evil.example) \[redacted\]`);
    expect(summary).not.toContain(CANARY);
  });

  it('of a call that went well says so, and nothing more', async () => {
    const { exitCode, commands, summary } = await run(
      `posts wait ${idOf(0)} --report github`,
      () => ({}),
    );
    expect([exitCode, commands]).toEqual([0, []]);
    expect(summary).toContain('| ok | 1 |');
  });

  it('without a place for the summary, or with a full one, says so', async () => {
    const line = 'posts get --from - --report github';
    const none = await run(line, () => ({}), { list: idList(1), env: { GITHUB_STEP_SUMMARY: '' } });
    expect(none.stderr).toContain('GITHUB_STEP_SUMMARY is not set');
    const { folder } = testCli();
    const full = join(folder, 'full.md');
    writeFileSync(full, 'x'.repeat(1024 * 1024 - 10));
    const kept = await run(line, () => ({}), {
      list: idList(1),
      env: { GITHUB_STEP_SUMMARY: full },
    });
    expect([none.exitCode, kept.exitCode]).toEqual([0, 0]);
    expect(kept.stderr).toContain('the step summary is full');
    expect(readFileSync(full)).toHaveLength(1024 * 1024 - 10);
  });

  it('names no pairing', async () => {
    const code = 'TG-998877';
    const { stderr, summary } = await run(
      `connect telegram access-code ${code} --wait --report github`,
      () => ({
        body: JSON.stringify({ ok: true, data: { status: 'expired', code } }),
      }),
    );
    expect(stderr).toContain('::error title=social connect telegram access-code');
    expect(stderr + summary!).not.toContain(code);
  });
});

describe('--report', () => {
  it.each([
    ['posts get PostSpringLaunch --report github', '--report requires --from or several IDs'],
    [
      'posts retry PostSpringLaunch --report github',
      '--report requires --wait, --from or several IDs',
    ],
    ['posts wait PostSpringLaunch --report junit', 'must be junit=<file> or github, got "junit"'],
    ['posts wait PostSpringLaunch --report junit=-', 'needs the name of a file after junit='],
    ['posts wait PostSpringLaunch --report junit=a --report junit=b', 'accepts junit= only once'],
    [
      'posts wait PostSpringLaunch --report junit=@c.txt --from @c.txt',
      'is the same file as --from',
    ],
  ])('refuses %s', async (line, said) => {
    const { social, folder } = testCli();
    const file = join(folder, 'c.txt');
    writeFileSync(file, idList(1));
    const words = line.split(' ').map((word) => word.replace('@c.txt', file));
    const { exitCode, stderr } = await social([...words, '-C', 'sandbox']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
  });

  it('does both in one run', async () => {
    const { suite, summary } = await run(
      'posts get --from - --report github --report junit=out.xml',
      () => ({}),
      { list: idList(3) },
    );
    expect(suite().attributes['tests']).toBe('3');
    expect(summary).toContain('| ok | 3 |');
  });
});
