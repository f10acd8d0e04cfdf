// Answers that are torn, split, wrong, odd or not asked for, many of them in one batch: a change leaves once, each
// record gets its own answer or none, and the exit code tells what is known.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificate } from './servers.mjs';
import { tricks } from './torn.mjs';

const RECORDS = 24;

/** Commands, with what makes a record of one and how often a change of that kind may leave. */
const commands = [
  { argv: ['posts', 'get'], record: (id) => ({ postId: id }), method: 'GET', kind: 'read' },
  { argv: ['posts', 'retry'], record: (id) => ({ postId: id }), method: 'POST', kind: 'once' },
  {
    argv: ['posts', 'reply'],
    record: (id) => ({ postId: id, targetId: 'TargetAdversaryA', text: 'Hello' }),
    method: 'POST',
    kind: 'once',
  },
];

/** Exit codes of one record, by what came and what kind of command it was. */
const allowed = {
  read: { good: [0], bad: [9, 6], refused: [4, 5, 6, 7, 9] },
  once: { good: [0], bad: [12, 6, 0], refused: [4, 5, 6, 7, 12] },
};

/** Of the bad ones: what must never be told. */
const forbidden = { read: [0, 12], once: [9] };

export async function round(stage) {
  const { random, home, check, serve, run } = stage;
  const { argv, record, method, kind } = random.pick(commands);
  const secure = random.chance(0.4);
  const cases = new Map(
    Array.from({ length: RECORDS }, () => [random.letters(16), tricks(random)]),
  );
  const server = await serve((request, socket) => cases.get(request.id)?.play(request, socket), {
    secure,
  });
  const list = join(home, 'list.ndjson');
  writeFileSync(list, [...cases.keys()].map((id) => `${JSON.stringify(record(id))}\n`).join(''));
  const retries = random.below(2);
  const last = await run(
    [
      ...argv,
      `--from=${list}`,
      '--json',
      '--timeout=1500ms',
      `--retries=${retries}`,
      `--concurrency=${random.pick([1, 8, 8, 16])}`,
      ...(secure ? ['--cacert', certificate().path] : []),
    ],
    { env: { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: 'adversary-answers-token' } },
  );
  check([0, 9, 11, 12].includes(last.code), 'a batch over odd answers ends in order', last);
  const lines = last.stdout.split('\n').filter(Boolean);
  check(lines.length === RECORDS, 'each record has one line', last, lines.length);
  for (const line of lines) judge(JSON.parse(line));

  function judge({ input, ok, exitCode, data, error }) {
    const { name, sort, marker } = cases.get(input.postId);
    const what = (text) => `${kind}: ${text} (${name})`;
    const seen = { ...last, stdout: JSON.stringify({ input, exitCode, data, error }) };
    const times = server.times(method, input.postId);
    // An answer on a shared connection that does not name what was asked for is asked for again on one of its own.
    const most = kind === 'read' ? 2 * (retries + 1) : 1;
    check(times <= most, what('is sent no more often than allowed'), seen, times);
    check(times > 0 || error?.sent !== true, what('is told as sent only when it was'), seen);
    if (sort === 'good' || sort === 'late') {
      check(ok && exitCode === 0, what('a whole answer is taken'), seen);
      check(
        marker === undefined || JSON.stringify(data)?.includes(marker),
        what('it is its own answer'),
        seen,
      );
      return;
    }
    check(
      allowed[kind][sort].includes(exitCode),
      what('has an exit code that tells what is known'),
      seen,
    );
    if (sort === 'bad')
      check(!forbidden[kind].includes(exitCode), what('is not taken for more or less'), seen);
    for (const [id, other] of cases)
      if (id !== input.postId && other.marker !== undefined)
        check(
          !JSON.stringify(data ?? '').includes(other.marker),
          what('shows no answer of another'),
          seen,
        );
  }
}
