// Signals at any moment, in every mode: nothing is done twice, nothing is lost, and nobody is told otherwise.

import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastObject, pause } from './program.mjs';
import { postOf, success } from './servers.mjs';

const SIGNALS = ['SIGKILL', 'SIGINT', 'SIGTERM', 'SIGHUP'];
/** The longest that a run takes until it has done what the signal is to interrupt. */
const START_MS = 450;

/** A service on which a retry publishes after some looks, slowly. */
async function service({ random, serve }) {
  const server = await serve(({ method, id }, socket) => {
    const retried = server.times('POST', id) > 0;
    const looks = server.times('GET', id);
    const status = !retried ? 'failed' : looks > 2 ? 'published' : 'publishing';
    setTimeout(
      () => socket.write(success(postOf(id, method === 'POST' ? 'publishing' : status))),
      random.below(25),
    );
  });
  return server;
}

const envOf = ({ url }) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'adversary-kills-token' });

/** Starts a run and sends it a signal after a while; sometimes the same or another one soon after. */
async function interrupted({ begin, random, sound }, argv, options) {
  const run = begin(argv, options);
  const signal = random.pick(SIGNALS);
  const [first, second] = [100 + random.below(START_MS), random.below(120)];
  const again = random.chance(0.3) ? random.pick(SIGNALS) : undefined;
  let over = false;
  void run.ended.then(() => (over = true));
  await Promise.race([pause(first), run.ended]);
  if (!over) run.child.kill(signal);
  if (again !== undefined) {
    await Promise.race([pause(second), run.ended]);
    if (!over) run.child.kill(again);
  }
  const ended = await run.ended;
  sound(ended);
  return ended;
}

async function single(stage) {
  const { random, check, serve: _serve, run } = stage;
  const server = await service(stage);
  const id = random.letters(16);
  const ended = await interrupted(stage, ['posts', 'retry', id, '--json'], { env: envOf(server) });
  const times = server.times('POST', id);
  check(times <= 1, 'a change that was interrupted is sent once', ended);
  if (ended.code === 0) check(times === 1, 'a change that is told as done was sent', ended);
  const { error } = lastObject(ended.stderr);
  if (error !== undefined && times === 1)
    check(error.sent === true, 'a change that arrived is not told as not sent', ended);
  const history = await run(['history', 'list', '--json']);
  check(history.code === 0, 'the history can be read after a signal', history);
}

/** The journals of `auto`, also those of a process that has not quite ended. */
function journalsIn(home) {
  try {
    const names = readdirSync(join(home, '.local/state/social/journals'));
    return names.filter((name) => /\.journal(?:\.done)?$/.test(name));
  } catch {
    return [];
  }
}

async function batch(stage) {
  const { random, check, home, run } = stage;
  const server = await service(stage);
  const waits = random.chance(0.25);
  const ids = Array.from({ length: random.between(5, waits ? 15 : 60) }, () => random.letters(16));
  const [list, journal] = [join(home, 'ids.txt'), join(home, 'journal')];
  writeFileSync(list, ids.map((id) => `${id}\n`).join(''));
  const auto = random.chance(0.4);
  const wait = waits ? ['--wait', '--interval', '100ms'] : [];
  const at = [
    '--from',
    list,
    '--journal',
    auto ? 'auto' : journal,
    '--concurrency',
    `${random.between(1, 12)}`,
  ];
  const argv = ['posts', 'retry', ...at, ...wait, '--json', '-q'];
  const options = { env: envOf(server) };
  for (let kills = random.between(1, 4); kills > 0; kills--) {
    const { code, killed } = await interrupted(stage, argv, options);
    // What has come to its end is begun anew by another run with `auto`. That includes the one moment that is promised
    // to nobody: SIGKILL when all is done and the process has deleted the journal as its last step.
    const isAll = ids.every((id) => server.times('POST', id) === 1);
    if (auto && (code < 128 || (killed && isAll && journalsIn(home).length === 0))) return;
    if (!random.chance(0.5)) continue;
    // The list grows, as lists do.
    const more = random.letters(16);
    ids.push(more);
    appendFileSync(list, `${more}\n`);
  }
  const last = await run(argv, options);
  check([0, 11, 12].includes(last.code), 'a batch that is resumed comes to its end', last);
  const unknown = new Set(
    last.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ exitCode }) => exitCode === 12)
      .map(({ input }) => input.postId),
  );
  const mode = `${auto ? '--journal auto' : '--journal'}${wait.length > 0 ? ' --wait' : ''}`;
  const twice = ids.filter((id) => server.times('POST', id) > 1);
  check(twice.length === 0, `${mode}: nothing is sent twice`, last, twice);
  const lost = ids.filter((id) => server.times('POST', id) === 0 && !unknown.has(id));
  check(lost.length === 0, `${mode}: what was not sent is told`, last, lost);
  const before = server.total();
  const idle = await run(
    ['posts', 'retry', ...at.slice(0, 2), '--journal', auto ? 'auto' : journal, '--json'],
    options,
  );
  const sent = ids.filter((id) => server.times('POST', id) > 1);
  if (!auto) check(server.total() === before, 'a finished journal sends nothing', idle);
  if (!auto) check(sent.length === 0, 'a finished journal repeats nothing', idle, sent);
}

async function waiting(stage) {
  const { random, check, run } = stage;
  const server = await service(stage);
  const id = random.letters(16);
  const polls = ['--interval', '100ms', '--wait-timeout', '20s', '--json'];
  const options = { env: envOf(server) };
  const first = await interrupted(stage, ['posts', 'retry', id, '--wait', ...polls], options);
  check(server.times('POST', id) <= 1, 'a retry that waits is sent once', first);
  if (first.code === 0)
    check(server.times('POST', id) === 1, 'a wait that ends well follows a retry', first);
  const { error } = lastObject(first.stderr);
  if (error !== undefined && server.times('POST', id) === 1)
    check(error.sent === true, 'a wait that was interrupted tells that the change was sent', first);
  if (server.times('POST', id) === 0) return;
  const wait = await run(['posts', 'wait', id, ...polls], options);
  check(wait.code === 0, 'a wait that goes on ends as the post does', wait);
  check(server.times('POST', id) === 1, 'to go on waiting changes nothing', wait);
}

export const round = (stage) => stage.random.pick([single, single, batch, batch, waiting])(stage);
