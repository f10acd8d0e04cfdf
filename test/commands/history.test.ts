// The local record of changes: its content, the data that is never written, and that it never blocks a command.

import * as fs from 'node:fs';
import * as os from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rotatedPath } from '../../src/fs/append-log.ts';
import { type HistoryEntry, readHistory } from '../../src/history/entries.ts';
import {
  countingServer,
  failedPostsServer,
  idOf,
  post as postOf,
} from '../support/counting-server.ts';
import { recordingServer, errorResponse, successResponse } from '../support/recording-server.ts';
import { closedPort, misbehavingServer } from '../support/misbehaving-server.ts';
import { serviceAt } from '../support/terminal.ts';
import { commandLines, commandVariants } from '../support/command-lines.ts';
import { NOON, type RunOptions, temporaryFolder, testCli } from '../support/test-cli.ts';
import { splitWords } from '../support/shell-words.ts';
import { needsUnix } from '../support/unix.ts';

/** Text as it was before it was broken into lines. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ');

/** A stage with the record of what is changed on it. */
function setup(scene: RunOptions = {}) {
  const { social, folder, clock } = testCli();
  const path = join(folder, 'state', 'history.ndjson');
  const run = async (argv: readonly string[], more: RunOptions = {}) => {
    const env = { NO_COLOR: '1', ...scene.env, ...more.env };
    const outcome = await social(argv, { ...scene, ...more, env });
    clock.now += 1000;
    return outcome;
  };
  const text = () => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '');
  return {
    run,
    folder,
    clock,
    path,
    text,
    entries: (): readonly HistoryEntry[] =>
      readHistory({ stateDir: () => join(folder, 'state') }).changes,
  };
}

const sandbox = { env: { SOCIAL_CONTEXT: 'sandbox' } };
const at = (url: string) => ({ env: serviceAt(url) });
const retry = ['posts', 'retry', 'PostSpringLaunch'];

describe('a change', () => {
  const changes = [...commandLines, ...commandVariants].filter(({ method }) => method !== 'GET');

  it.each(changes)('is recorded: social $line', async ({ line, stdin, body }) => {
    needsUnix('owners and modes');
    const service = await recordingServer();
    const { run, entries, text, path } = setup(at(service.url));
    const { exitCode } = await run(splitWords(line), stdin === undefined ? {} : { stdin });
    expect(exitCode).toBe(0);
    expect(entries()).toHaveLength(1);
    const [entry] = entries();
    // A retry is only begun, and its result is not waited for.
    const outcome = line.startsWith('posts retry') ? 'accepted' : 'ok';
    expect(entry).toMatchObject({ outcome, exitCode: 0, context: null, origin: service.url });
    expect(line.startsWith(entry!.command) || entry!.command.startsWith('accounts mastodon')).toBe(
      true,
    );
    expect(entry!.startedAt).toBe(new Date(NOON).toISOString());
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    // Neither a text nor an address of it is there, and an id is.
    const typed = Object.entries((body ?? {}) as Record<string, unknown>).filter(
      ([, value]) => typeof value === 'string' || Array.isArray(value),
    );
    for (const [name, value] of typed) {
      const isId = /(?:^id|Ids?)$/.test(name);
      expect(text().includes(JSON.stringify(value).slice(1, -1))).toBe(isId);
    }
  });

  it('is recorded without secrets, wherever they were', async () => {
    const service = await recordingServer(successResponse('{"id":"WebhookMadeAnew1"}'));
    const { run, entries, text } = setup(at(service.url));
    const create = splitWords('webhooks create --url https://hunter1.example --event post.failed');
    const secret = ['--secret-file', '-', '--header', 'X-Team: hunter3hunter3'];
    expect((await run([...create, ...secret], { stdin: 'hunter2hunter2' })).exitCode).toBe(0);
    const api = ['api', 'POST', '/v1/x?key=hunter4', '-f', 'a=hunter5', '--header-file', '-'];
    expect((await run(api, { stdin: 'x-api-key: hunter6' })).exitCode).toBe(0);
    const code = ['api', 'POST', '/v1/connect/telegram/access-code/hunter7'];
    expect((await run(code)).exitCode).toBe(0);
    const update = ['api', 'PATCH', '/v1/webhooks', '-f', 'id=WebhookMadeAnew1'];
    expect((await run(update)).exitCode).toBe(0);
    expect(text()).not.toContain('hunter');
    expect(entries().map(({ ids, made }) => [ids, made])).toEqual([
      [[], 'WebhookMadeAnew1'],
      [['/v1/x'], 'WebhookMadeAnew1'],
      [['/v1/connect/telegram/access-code/[redacted]'], 'WebhookMadeAnew1'],
      [['/v1/webhooks'], undefined],
    ]);
    const list = await run(['history', 'list', '-o', 'csv']);
    expect(list.stdout).toContain(',webhooks create,,done,WebhookMadeAnew1,');
  });

  it('is recorded with user, machine, note and command line, without its text', async () => {
    const service = await recordingServer();
    const { run, entries, text } = setup(at(service.url));
    const reply = 'posts reply PostAutumnRecaps --target TargetAutumnMast --text';
    const note = ['--note', ' INC-123: the token expired '];
    await run([...splitWords(reply), 'A text of the reply', ...note]);
    await run([...retry, '--note', 'café ✓'], { env: { SUDO_USER: 'anna' } });
    await run(retry, { env: { SOCIAL_NOTE: 'INC-9' } });
    await run(['api', 'POST', '/v1/anything', '--note', 'by hand']);
    const [first, second, third, fourth] = entries();
    const { username } = os.userInfo();
    expect(first).toMatchObject({
      user: username,
      host: os.hostname(),
      pid: process.pid,
      note: 'INC-123: the token expired',
      line: 'posts reply PostAutumnRecaps --target TargetAutumnMast --text …',
    });
    expect(second).toMatchObject({ user: `anna as ${username}`, note: 'café ✓' });
    expect([third?.note, fourth?.note]).toEqual(['INC-9', 'by hand']);
    expect(text()).not.toContain('A text');
    const shown = await run(['history', 'list', '-o', 'wide'], { columns: 200 });
    expect(shown.stdout).toContain('INC-123: the token expired');
    expect((await run(['history', 'show', first!.id])).stdout).toContain('INC-123');
  });

  it.each([
    ['', '--note', 'got ""'],
    ['two\nlines', '--note', 'got "two⏎lines"'],
    ['a\u202eb', '--note', 'got "a\\u{202e}b"'],
    ['✓'.repeat(201), '--note', 'got 201 characters'],
    ['✓'.repeat(201), 'SOCIAL_NOTE', 'got 201 characters'],
  ])('is not sent with a note like %j (%s)', async (note, field, seen) => {
    const service = await recordingServer();
    const { run, entries } = setup(at(service.url));
    const typed = field === '--note' ? ['--note', note] : [];
    const more = field === '--note' ? {} : { env: { SOCIAL_NOTE: note } };
    const outcome = await run([...retry, ...typed], more);
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stderr).toContain(
      `${field} must be one line of 1 to 200 characters without control characters, ${seen}`,
    );
    expect([service.requests, entries()]).toEqual([[], []]);
  });

  it('may have a note of 200 characters of any width, and an empty variable means none', async () => {
    const service = await recordingServer();
    const { run, entries } = setup(at(service.url));
    await run([...retry, '--note', '😀'.repeat(200)]);
    await run([...retry, '--target', 'TargetSpringLink'], { env: { SOCIAL_NOTE: '' } });
    expect(entries().map(({ note }) => note)).toEqual(['😀'.repeat(200), undefined]);
  });

  it('is identified by its input, except secrets', async () => {
    const service = await recordingServer();
    const { run, entries } = setup(at(service.url));
    const update = ['webhooks', 'update', 'WebhookAlertsOps'];
    for (const rest of [['--active'], ['--inactive'], ['--active']])
      await run([...update, ...rest]);
    for (const stdin of ['hunter2hunter2', 'hunter3hunter3'])
      await run([...update, '--secret-file', '-'], { stdin });
    const [a, b, c, d, e] = entries().map(({ input }) => input);
    expect([a === b, a === c, a === d, d === e]).toEqual([false, true, false, true]);
  });

  it.each([
    ['refused', 6, async () => (await recordingServer(errorResponse(422))).url],
    ['refused', 7, async () => (await recordingServer(errorResponse(429))).url],
    [
      'unknown',
      12,
      async () => (await misbehavingServer((socket) => socket.resetAndDestroy())).url,
    ],
    ['unknown', 12, async () => (await recordingServer({ status: 502 })).url],
    ['unsent', 9, async () => `http://127.0.0.1:${await closedPort()}`],
  ])('that is %s (exit %i)', async (outcome, exitCode, serve) => {
    const { run, entries } = setup(at(await serve()));
    await run([...retry, '--retries', '0']);
    expect(entries()).toMatchObject([{ outcome, exitCode }]);
  });

  it.each([
    [['--target', 'TargetSpringMast'], 10, 'failed', 'failed: 1 of 1 target'],
    [[], 10, 'failed', 'failed: 1 of 2 targets'],
    [['--target', 'TargetSpringLink'], 0, 'ok', 'done'],
  ])('that is waited for has its result: %j', async (targets, exitCode, outcome, shown) => {
    const { run, entries } = setup(sandbox);
    expect((await run([...retry, ...targets, '--wait', '-q'])).exitCode).toBe(exitCode);
    expect(entries()).toMatchObject([{ outcome, exitCode }]);
    const list = await run(['history', 'list'], { columns: 160 });
    expect(list.stdout).toContain(` ${shown} `);
  });

  const named = 'where the request named it';
  const behind = 'where it named it, and the service’s clock is 5 minutes behind';
  it.each([
    ['failed', 'failed', 'failed: 1 of 1 target', ''],
    ['failed', 'failed', 'failed: 1 of 1 target', behind],
    ['publishing', 'accepted', 'accepted', ''],
    // The target may have been published before.
    ['published', 'accepted', 'accepted', ''],
    ['published', 'ok', 'done', named],
    ['published', 'ok', 'done', behind],
  ])('whose response shows its target %s is %s (%s) %s', async (status, outcome, shown, lag) => {
    const service = await countingServer((id) => {
      const updatedAt = new Date(Date.now() + 1000).toISOString();
      return { body: postOf(id, status, { updatedAt }) };
    });
    const { run, entries, clock } = setup(at(service.url));
    clock.now = Date.now() + (lag === behind ? 300_000 : 0);
    const target = lag === '' ? [] : ['--target', 'TargetSpringLink'];
    expect((await run([...retry, ...target])).exitCode).toBe(0);
    expect(entries()).toMatchObject([{ outcome, exitCode: 0 }]);
    const list = await run(['history', 'list'], { columns: 160 });
    expect(list.stdout).toContain(` ${shown} `);
  });

  it.each([
    ['webhooks create --url https://a.example --all-events', '.id', 80],
    ['posts reply PostAutumnRecaps --target TargetAutumnMast --text Hi', '.commentUri', 200],
    ['accounts bluesky send 3kspringlaunch2 -a AccountBlueskyAa --text Hi', '.message.id', 200],
  ])('that created a resource shows its ID in the list: %s', async (line, id, columns) => {
    const { run } = setup(sandbox);
    const { stdout, exitCode } = await run([...splitWords(line), '--jq', id]);
    expect(exitCode).toBe(0);
    const list = await run(['history', 'list'], { columns });
    expect(list.stdout).toContain(stdout.trim());
  });

  it.each<readonly string[]>([
    retry,
    ['api', 'POST', '/v1/posts/PostSpringLaunch/retry', '-F', 'targetIds=[]'],
    ['posts', 'retry', 'PostSpringLaunch', 'PostFlashBrewing'],
  ])('and cannot be shown is accepted, with how the command ended: %s %s', async (...line) => {
    const { run, entries } = setup(at((await recordingServer(successResponse('{"id":"x"}'))).url));
    const { exitCode, stderr } = await run([...line, '--jq', 'error("no")']);
    expect(exitCode).toBe(13);
    expect(stderr).toContain('do not run it again');
    expect(entries()).toMatchObject([{ outcome: 'accepted', exitCode: 13 }]);
  });

  it('becomes done or failed when a later wait sees the end of all its targets', async () => {
    const { run, entries } = setup(sandbox);
    const accepted = async (target: string) => run([...retry, '--target', target]);
    await accepted('TargetSpringLink');
    await accepted('TargetSpringMast');
    const wait = ['posts', 'wait', 'PostSpringLaunch'];
    expect((await run([...wait, '--target', 'TargetSpringLink'])).exitCode).toBe(0);
    expect(entries()).toMatchObject([{ outcome: 'ok', exitCode: 0 }, { outcome: 'accepted' }]);
    expect((await run(wait)).exitCode).toBe(10);
    const failed = { outcome: 'failed', result: '1 of 1 target failed', exitCode: 0 };
    expect(entries()).toMatchObject([{ outcome: 'ok' }, failed]);
  });

  it('keeps its ids as selected, and is not recorded when there was nothing to do', async () => {
    const { run, entries } = setup(sandbox);
    await run([...retry, '--failed']);
    await run([...retry, '--failed']);
    await run([...retry, '--dry-run']);
    await run([...retry, 'nonsense']);
    const ids = ['PostSpringLaunch', 'TargetSpringLink', 'TargetSpringMast'];
    expect(entries()).toMatchObject([{ ids, outcome: 'accepted' }]);
  });
});

describe('nothing is recorded for', () => {
  it('a read', async () => {
    const service = await recordingServer(successResponse('{"id":"PostSpringLaunch"}'));
    const { run, folder } = setup(at(service.url));
    expect((await run(['posts', 'get', 'PostSpringLaunch'])).exitCode).toBe(0);
    expect((await run(['api', 'GET', '/v1/a'])).exitCode).toBe(0);
    expect(fs.existsSync(join(folder, 'state'))).toBe(false);
  });

  it.each([
    ['1', 0],
    ['yes', 0],
    ['', 1],
    ['0', 1],
    ['false', 1],
  ])('SOCIAL_NO_HISTORY=%s', async (value, count) => {
    const { run, entries } = setup(sandbox);
    expect((await run(retry, { env: { SOCIAL_NO_HISTORY: value } })).exitCode).toBe(0);
    expect(entries()).toHaveLength(count);
  });

  it('a record that cannot be written: the change is made, with one warning', async () => {
    const service = await recordingServer();
    const { run, folder, path } = setup(at(service.url));
    fs.mkdirSync(path, { recursive: true });
    const { exitCode, stderr } = await run(retry);
    expect({ exitCode, count: service.requests.length }).toEqual({ exitCode: 0, count: 1 });
    expect(stderr.match(/the history of changes was not written/g)).toHaveLength(1);
    expect(stderr).toContain(path);
    expect((await run([...retry, '-q'])).stderr).toBe('');
    fs.rmSync(join(folder, 'state'), { recursive: true });
    fs.writeFileSync(join(folder, 'state'), '');
    expect((await run(retry)).exitCode).toBe(0);
  });
});

describe('a batch', () => {
  it('is one entry with its counts, the first ids and the journal', async () => {
    const service = await failedPostsServer((id) => (id === idOf(1) ? { status: 422 } : {}));
    const { run, text, entries, folder } = setup(at(service.url));
    const ids = Array.from({ length: 205 }, (_, i) => idOf(i));
    const journal = join(folder, 'journal');
    const list = join(folder, 'list');
    fs.writeFileSync(list, ids.join('\n'));
    const batch = ['posts', 'retry', '--from', list, '--journal', journal];
    expect((await run(batch)).exitCode).toBe(11);
    // Its start, a line for each of the first accepted records, and its end.
    expect(text().match(/\n/g)).toHaveLength(1 + 200 + 1);
    expect(text()).not.toContain('clientRequestId');
    expect(entries()).toMatchObject([
      {
        command: 'posts retry',
        ids: ids.slice(0, 200),
        count: 205,
        outcome: 'partial',
        exitCode: 11,
        counts: { ok: 0, failed: 1, unknown: 0, accepted: 204, notStarted: 0 },
        journal,
      },
    ]);
    // A second run tries what failed; of two posts that are done, a second one has nothing to send.
    await run(batch);
    expect(entries()[1]).toMatchObject({
      counts: { accepted: 204, failed: 1 },
      outcome: 'partial',
    });
    const others = [idOf(303), idOf(304)];
    await run(['posts', 'retry', ...others, '--journal', join(folder, 'other')]);
    await run(['posts', 'retry', ...others, '--journal', join(folder, 'other')]);
    expect(entries()).toHaveLength(3);
    expect(entries()[2]).toMatchObject({
      counts: { accepted: 2 },
      outcome: 'accepted',
      exitCode: 0,
    });
  });

  it('whose records all failed after they were accepted has failed', async () => {
    const { run, entries } = setup(sandbox);
    const stdin = '{"postId":"PostSpringLaunch","targetIds":["TargetSpringMast"]}';
    const { exitCode } = await run(['posts', 'retry', '--from', '-', '--wait', '-q'], { stdin });
    expect([exitCode, entries()]).toMatchObject([11, [{ outcome: 'failed' }]]);
  });

  it('is one line at 80 columns, with what is unknown and what was created', async () => {
    const body = '{"ok":false,"error":{"code":"x","message":"No."}}';
    const lost = await countingServer((id, method) => {
      if (method === 'POST' && id === idOf(1)) return { status: 422, body };
      if (id === idOf(40) || id === idOf(41)) return { status: 404, body };
      return { cut: method === 'POST' && id === idOf(2) };
    });
    const { run } = setup({ ...at(lost.url), columns: 80 });
    await run(['posts', 'retry', ...Array.from({ length: 24 }, (_, i) => idOf(i))]);
    await run(splitWords('posts reply PostAutumnRecaps --target TargetAutumnMast --text Hi'));
    const { stdout } = await run(['history', 'list']);
    const [heading, ...rows] = stdout.trimEnd().split('\n\n')[0]!.split('\n');
    expect(heading).toMatch(/^TIME +OUTCOME +COMMAND +IDS +CHANGE/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^12:00:01 +done +posts reply +PostAutumnRecaps /);
    expect(rows[1]).toMatch(/unknown: 1 of 24 +posts retry +\w+ \+23 /);
    const named = async (outcome: string) =>
      (await run(['history', 'list', '--outcome', outcome, '--jq', '.[].command'])).stdout;
    expect(await named('unknown')).toBe('posts retry\n');
    for (const word of ['ok', 'done']) expect(await named(word)).toBe('posts reply\n');
    expect(await named('refused')).toBe('');
    await run(['posts', 'retry', idOf(40), idOf(41)]);
    expect(await named('not found')).toBe('posts retry\n');
  });

  it('is listed with its first id and the number of the others', async () => {
    const service = await countingServer();
    const { run, entries } = setup({ ...at(service.url), columns: 150 });
    const ids = Array.from({ length: 24 }, (_, i) => idOf(i));
    await run(['posts', 'retry', ...ids]);
    await run(['posts', 'retry', idOf(31), idOf(32)]);
    const { stdout } = await run(['history', 'list']);
    expect(stdout).toContain(`${idOf(0)} +23 `);
    expect(stdout).toContain(`${idOf(31)} +1 `);
    const shown = await run(['history', 'show', entries()[0]!.id]);
    expect(shown.stdout).toMatch(/^time: +12:00:00\noutcome: +accepted: 24\n/);
    const folded = `24 posts: ${idOf(0)}, ${idOf(1)}, and 22 more; --json has all`;
    expect(flat(shown.stdout)).toContain(folded);
  });
});

describe('the history file', () => {
  it('is renamed when it is large; commands read both files', async () => {
    const { run, path, text } = setup(sandbox);
    await run(retry);
    const old = fs.readFileSync(path, 'utf8');
    fs.appendFileSync(path, `${'x'.repeat(1023)}\n`.repeat(1024));
    await run(['webhooks', 'update', 'WebhookAlertsOps', '--inactive']);
    expect(fs.existsSync(path)).toBe(false);
    expect(fs.readFileSync(rotatedPath(path), 'utf8').startsWith(old)).toBe(true);
    await run(['webhooks', 'update', 'WebhookAlertsOps', '--active']);
    expect(text().match(/"command"/g)).toHaveLength(1);
    const told = JSON.parse((await run(['history', 'list', '--json'])).stdout) as HistoryEntry[];
    expect(told.map(({ command }) => command)).toEqual([
      'webhooks update',
      'webhooks update',
      'posts retry',
    ]);
  });

  it('with invalid lines is read without them', () => {
    const good = {
      id: 'a',
      startedAt: '2026-03-02T12:00:00.000Z',
      command: 'x',
      ids: [],
      context: null,
      origin: 'o',
    };
    const text = [
      'nonsense',
      'null',
      '[]',
      '{"id":"b","outcome":"ok","exitCode":0}',
      '{"id":"c","command":"x","ids":[],"startedAt":"never"}',
      JSON.stringify(good),
      '{"id":"a","outco',
    ].join('\n');
    const stateDir = temporaryFolder();
    fs.writeFileSync(join(stateDir, 'history.ndjson'), text);
    const { changes, damaged } = readHistory({ stateDir: () => stateDir });
    expect(changes).toEqual([{ ...good, outcome: 'unknown' }]);
    expect(damaged).toHaveLength(5);
  });
});

/** Three changes, an hour apart. */
async function threeChanges() {
  const all = setup(sandbox);
  await all.run(retry);
  all.clock.now += 3_600_000;
  await all.run(['webhooks', 'update', 'WebhookAlertsOps', '--inactive']);
  all.clock.now += 3_600_000;
  await all.run(['posts', 'retry', 'PostNowhereToSee']);
  return all;
}

describe('the history command', () => {
  it('list shows the newest first, by age, command and number', async () => {
    const { run } = await threeChanges();
    const list = async (...flags: string[]) => {
      const { stdout } = await run(['history', 'list', ...flags, '--json']);
      const changes = JSON.parse(stdout) as readonly HistoryEntry[];
      return changes.map(({ command, outcome, ids }) => `${command} ${outcome} ${ids.join()}`);
    };
    const [last, middle, first] = [
      'posts retry refused PostNowhereToSee',
      'webhooks update ok WebhookAlertsOps',
      'posts retry accepted PostSpringLaunch',
    ];
    expect(await list()).toEqual([last, middle, first]);
    expect(await list('--op', 'posts retry')).toEqual([last, first]);
    expect(await list('--op', 'posts')).toEqual([last, first]);
    expect(await list('--op', 'pos')).toEqual([]);
    expect(await list('--since', '90m')).toEqual([last, middle]);
    expect(await list('--since', '1w')).toEqual([last, middle, first]);
    expect(await list('--limit', '1')).toEqual([last]);
  });

  it('list is a table on a terminal', async () => {
    const { run } = await threeChanges();
    const { stdout } = await run(['history', 'list'], { columns: 120 });
    expect(stdout).toMatch(/^TIME +OUTCOME +COMMAND +IDS +CHANGE\n/);
    expect(stdout).toMatch(/^12:00:00 +accepted +posts retry +PostSpringLaunch /m);
  });

  it('list explains an empty history', async () => {
    const { run } = setup();
    const empty = await run(['history', 'list', '--json']);
    expect(empty).toEqual({ exitCode: 0, stdout: '[]\n', stderr: 'no changes recorded\n' });
    const off = await run(['history', 'list'], { env: { SOCIAL_NO_HISTORY: '1' } });
    expect(off.stderr).toContain('SOCIAL_NO_HISTORY is set');
    const { run: again } = await threeChanges();
    const told = async (...flags: string[]) => (await again(['history', 'list', ...flags])).stderr;
    expect(await told('--op', 'api')).toBe('no recorded change matches\n');
    expect(await told('--note', 'INC-8')).toBe('no recorded change matches\n');
    expect((await again(['history', 'list', '--op', 'retry'])).stdout).toContain('posts retry');
  });

  it('show prints one entry, also by the start of its id', async () => {
    const { run, entries } = await threeChanges();
    const [entry] = entries();
    const whole = await run(['history', 'show', entry!.id, '--json']);
    expect(JSON.parse(whole.stdout)).toEqual(entry);
    expect((await run(['history', 'show', entry!.id.slice(0, -1), '--json'])).exitCode).toBe(
      entries().filter(({ id }) => id.startsWith(entry!.id.slice(0, -1))).length === 1 ? 0 : 2,
    );
    const none = await run(['history', 'show', 'nosuchid']);
    expect(none).toMatchObject({ exitCode: 2, stdout: '' });
    expect(none.stderr).toContain('change ID "nosuchid" is not in the history');
    const last = await run(['history', 'show'], { columns: 80 });
    expect(last.stderr).toContain(`the last change, ${entries()[2]!.id}`);
    expect(last.stdout).toMatch(/^time: +14:00:02\noutcome: +not found\n/);
    const { run: fresh } = setup();
    expect((await fresh(['history', 'show'])).stderr).toContain('no change is on record');
  });

  it('clear asks, and then deletes all', async () => {
    const { run, path, entries } = await threeChanges();
    fs.copyFileSync(path, rotatedPath(path));
    expect(await run(['history', 'clear'])).toMatchObject({ exitCode: 2 });
    const answered = (answer: boolean) =>
      run(['history', 'clear'], { columns: 80, ask: { confirm: async () => answer } });
    expect((await answered(false)).exitCode).toBe(3);
    expect(entries()).toHaveLength(3);
    expect((await answered(true)).exitCode).toBe(0);
    expect([fs.existsSync(path), fs.existsSync(rotatedPath(path))]).toEqual([false, false]);
    expect((await run(['history', 'clear', '--yes'])).exitCode).toBe(0);
  });
});

/** Changes at a terminal; what is asked is kept, and answered. */
function setupAtTerminal(scene: RunOptions, answer = false) {
  const asked: string[] = [];
  const confirm = async (message: string) => {
    asked.push(message);
    return answer;
  };
  return { ...setup({ ...scene, columns: 80, ask: { confirm } }), asked };
}

async function terminal(answer = true) {
  const service = await countingServer((id, method) => ({
    body: postOf(id, method === 'GET' ? 'failed' : 'publishing'),
  }));
  const sent = () => service.counts.get('POST PostSpringLaunch');
  return { ...setupAtTerminal(at(service.url), answer), sent };
}

const never = async () => false;

describe('the same change repeated', () => {
  const SENT = { exitCode: 0 };
  const stopped = { exitCode: 3 };

  type AtTerminal = Awaited<ReturnType<typeof terminal>>;

  it('is asked about, with when and how it ended, and sent after a yes', async () => {
    const { run, clock, asked, sent } = await terminal(false);
    expect(await run(retry)).toMatchObject(SENT);
    clock.now += 239_000;
    const again = await run(retry);
    expect(again).toMatchObject(stopped);
    expect(again.stderr).toContain('not run again; nothing was sent');
    expect(flat(again.stderr)).toMatch(
      /^You ran this 4 minutes ago: accepted, result not known\. error: /,
    );
    expect(asked).toEqual(['Run it again?']);
    expect(sent()).toBe(1);
    expect(await run(retry, { ask: { confirm: async () => true } })).toMatchObject(SENT);
    expect(sent()).toBe(2);
  });

  it('is not asked about after a reset of the sandbox', async () => {
    const { run, asked } = setupAtTerminal(sandbox);
    expect(await run(retry)).toMatchObject(SENT);
    await run(['sandbox', 'reset']);
    expect(await run(retry)).toMatchObject(SENT);
    expect(asked).toEqual([]);
  });

  it('whose targets failed is asked about with their number', async () => {
    const { run, asked } = setupAtTerminal(sandbox);
    expect(await run([...retry, '--wait', '-q'])).toMatchObject({ exitCode: 10 });
    const again = await run([...retry, '--wait', '-q']);
    expect(again).toMatchObject(stopped);
    expect(flat(again.stderr)).toMatch(/You ran this \d+ seconds? ago: 1 of 2 targets failed\. /);
    expect(asked).toEqual(['Run it again?']);
  });

  it.each([
    [
      'with an unknown outcome',
      (lines: string) => lines.replaceAll('"outcome":"accepted"', '"outcome":"unknown"'),
      'You ran this 1 second ago: outcome unknown: it may have happened. ',
    ],
    [
      // A program that was killed before the response leaves the file like this.
      'without an end',
      (lines: string) => `${lines.split('\n')[0]}\n`,
      'Another process is running this now, or was killed after it started 1 second ago: it may have happened. ',
    ],
  ])('%s is asked about with these words', async (_what, left, words) => {
    const { run, asked, path } = await terminal(false);
    await run(retry);
    fs.writeFileSync(path, left(fs.readFileSync(path, 'utf8')));
    const again = await run(retry);
    expect(again).toMatchObject(stopped);
    expect(flat(again.stderr)).toContain(words);
    expect(asked).toHaveLength(1);
  });

  it.each<[when: string, then: (all: AtTerminal) => Promise<unknown>]>([
    [
      'after ten minutes',
      ({ clock, run }) => {
        clock.now += 600_001;
        return run(retry);
      },
    ],
    ['with --yes', ({ run }) => run([...retry, '--yes'])],
    ['off a terminal', ({ run }) => run(retry, { columns: undefined })],
    ['with --no-input', ({ run }) => run([...retry, '--no-input'])],
    ['without a history', ({ run }) => run(retry, { env: { SOCIAL_NO_HISTORY: '1' } })],
    [
      'of a change that only sets a value',
      async ({ run }) => {
        const mute = splitWords('accounts mastodon mute 113 -a AccountMastodonA');
        await run(mute);
        return run(mute);
      },
    ],
    ['with another input', ({ run }) => run([...retry, '--target', 'TargetSpringLink'])],
    ['in a batch', ({ run }) => run([...retry, idOf(1)])],
    [
      'after it was settled as not done',
      ({ run, path, entries }) => {
        const [{ id }] = entries() as [HistoryEntry];
        const verdict = {
          id,
          settledAt: new Date(NOON).toISOString(),
          verdict: 'not done',
          why: '',
        };
        fs.appendFileSync(path, `${JSON.stringify(verdict)}\n`);
        return run(retry);
      },
    ],
    ['at another service', async ({ run }) => run(retry, at((await countingServer()).url))],
    [
      'after another command in between',
      async ({ run }) => {
        await run(['api', 'POST', '/v1/posts/PostSpringLaunch/retry']);
        return run(['api', 'POST', '/v1/posts/PostSpringLaunch/publish']);
      },
    ],
  ])('is not asked about %s', async (_when, then) => {
    const all = await terminal(false);
    await all.run(retry);
    expect(await then(all)).toMatchObject(SENT);
    expect(all.asked).toEqual([]);
  });

  it('after its opposite is not a repeat', async () => {
    const { run, asked } = await terminal(false);
    const mastodon = (word: string) =>
      run(['accounts', 'mastodon', word, '113', '-a', 'AccountMastodonA']);
    for (const word of ['favourite', 'unfavourite', 'favourite', 'unfavourite'])
      expect(await mastodon(word)).toMatchObject(SENT);
    expect(asked).toEqual([]);
  });

  it('that was refused is sent without a question', async () => {
    const service = await recordingServer(errorResponse(422));
    const { run } = setup({ ...at(service.url), columns: 80, ask: { confirm: never } });
    await run(retry);
    expect(await run(retry)).toMatchObject({ exitCode: 6 });
  });

  it('through api is asked about too', async () => {
    const { run } = await terminal(false);
    const post = ['api', 'POST', '/v1/posts/x/retry', '-f', 'a=1'];
    await run(post);
    const again = await run(post);
    expect(again).toMatchObject(stopped);
    expect(flat(again.stderr)).toContain('You ran this 1 second ago: accepted, result not known. ');
    expect(await run([...post, '-f', 'b=2'])).toMatchObject(SENT);
  });
});
