// Links, modes, owners and things that are no files, wherever the program reads or writes one.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { postOf, success } from './servers.mjs';

const TOKEN = 'adversary-links-token';
const STRANGER = 54_321;

/** A service that takes its time, so that two processes meet. */
const slowService = ({ serve, random }) =>
  serve(({ id }, socket) =>
    setTimeout(() => socket.write(success(postOf(id, 'publishing'))), 5 + random.below(20)),
  );

const envOf = ({ url }) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: TOKEN });

/** Another name of a file: a link of some kind, or a way round. */
function alias(random, home, path) {
  const other = join(home, `other-${random.letters(4)}`);
  const kind = random.pick(['symlink', 'hard link', 'chain', 'way round', 'folder']);
  if (kind === 'symlink') fs.symlinkSync(path, other);
  else if (kind === 'hard link') {
    fs.closeSync(fs.openSync(path, 'a', 0o600));
    fs.linkSync(path, other);
  } else if (kind === 'chain') {
    fs.symlinkSync(path, `${other}-between`);
    fs.symlinkSync(`${other}-between`, other);
  } else if (kind === 'folder') {
    fs.symlinkSync(home, `${other}-folder`);
    return { kind, path: join(`${other}-folder`, path.slice(home.length + 1)) };
  } else
    return {
      kind,
      path: join(home, '.', 'x', '..', path.slice(home.length)).replace(home, `${home}/./`),
    };
  return { kind, path: other };
}

async function journalTwice(stage) {
  const { random, home, check, begin, sound } = stage;
  const server = await slowService(stage);
  const ids = Array.from({ length: 40 }, () => random.letters(16));
  fs.writeFileSync(join(home, 'list'), `${ids.join('\n')}\n`);
  const journal = join(home, 'journal');
  // A symlink may lead to a journal that does not exist yet.
  if (random.chance(0.5)) fs.writeFileSync(journal, '', { mode: 0o600 });
  const { kind, path } = alias(random, home, journal);
  const argv = ['posts', 'retry', '--from', 'list', '--json', '--concurrency', '2', '--journal'];
  const env = envOf(server);
  const both = [journal, path].map((each) => begin([...argv, each], { env }));
  const ended = await Promise.all(both.map((each) => each.ended));
  for (const run of ended) sound(run);
  const twice = ids.filter((id) => server.times('POST', id) > 1);
  check(
    twice.length === 0,
    `a journal by two names sends nothing twice (${kind})`,
    ended[1],
    twice,
  );
  const third = await stage.run([...argv, path], { env });
  const again = ids.filter((id) => server.times('POST', id) > 1);
  check(
    again.length === 0,
    `a journal by another name is the same journal (${kind})`,
    third,
    again,
  );
}

/** Flags that name a file each, two of them in one. */
async function oneFileForTwo(stage) {
  const { random, home, check, run } = stage;
  const server = await slowService(stage);
  const ids = Array.from({ length: 3 }, () => random.letters(16));
  const list = join(home, 'list');
  const text = `${ids.join('\n')}\n`;
  fs.writeFileSync(list, text);
  const flags = ['--journal', '--failures-to'];
  const target = random.chance(0.5) ? list : join(home, 'out');
  if (target !== list && random.chance(0.5)) fs.writeFileSync(target, '', { mode: 0o600 });
  const { kind, path } = random.chance(0.3)
    ? { kind: 'name', path: target }
    : alias(random, home, target);
  const [first, second] = random.shuffled(flags);
  const outputs = target === list ? [first, path] : [first, target, second, path];
  const ended = await run(['posts', 'retry', '--from', list, ...outputs, '--json'], {
    env: envOf(server),
  });
  const names = target === list ? `--from and ${first}` : `${first} and ${second}`;
  check(
    ended.code === 2 || ended.code === 13,
    `two files in one are refused (${names}, ${kind})`,
    ended,
  );
  check(server.total() === 0, `nothing is sent with two files in one (${names}, ${kind})`, ended);
  check(
    fs.readFileSync(list, 'utf8') === text,
    `a list is never written to (${names}, ${kind})`,
    ended,
  );
}

/** Settings, tokens and folders that somebody else may write or owns: they may name a program to run. */
async function settingsOfOthers(stage) {
  const { random, home, check, run } = stage;
  const server = await slowService(stage);
  const folder = join(home, '.config', 'social');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = join(folder, 'config.json');
  const ran = join(home, 'ran');
  const contexts = {
    prod: { baseUrl: server.url, tokenCommand: ['sh', '-c', `touch ${ran}; echo ${TOKEN}`] },
  };
  fs.writeFileSync(config, JSON.stringify({ context: 'prod', contexts }), { mode: 0o600 });
  const open = {
    'a file that all may write': () => fs.chmodSync(config, 0o666),
    'a file that the group may write': () => fs.chmodSync(config, 0o660),
    'a folder that all may write': () => fs.chmodSync(folder, 0o777),
    'a folder that the group may write': () => fs.chmodSync(folder, 0o770),
    'a folder above that all may write': () => fs.chmodSync(join(home, '.config'), 0o777),
    // They are in the current folder, as those of a repository may be.
    'a HOME that is no place': () => ({ HOME: random.pick(['', '.', './']) }),
    'a link to a file that all may write': () => {
      fs.renameSync(config, join(home, 'elsewhere'));
      fs.chmodSync(join(home, 'elsewhere'), 0o666);
      fs.symlinkSync(join(home, 'elsewhere'), config);
    },
  };
  const owned = {
    'a file of somebody else': () => fs.chownSync(config, STRANGER, STRANGER),
    'a folder of somebody else': () => fs.chownSync(folder, STRANGER, STRANGER),
    'a folder above of somebody else': () =>
      fs.chownSync(join(home, '.config'), STRANGER, STRANGER),
  };
  const all = Object.entries({ ...open, ...(process.getuid?.() === 0 ? owned : {}) });
  const [what, make] = random.pick(all);
  const argv = ['posts', 'get', random.letters(16), '--json', '--retries', '0'];
  // As they are, they are taken: what is refused below is refused for what was done to them.
  const good = await run(argv);
  check(good.code === 0 && fs.existsSync(ran), 'settings of this user are taken', good);
  fs.rmSync(ran, { force: true });
  const before = server.total();
  const env = make();
  const ended = await run(argv, { env });
  const isRefused = ended.code === 13 && /refusing to (?:read|use)/.test(ended.stderr);
  // Where no folder of this user is meant, there are no settings.
  check(env === undefined ? isRefused : ended.code === 4, `settings are refused: ${what}`, ended);
  check(!fs.existsSync(ran), `no program is run that ${what} names`, ended);
  check(server.total() === before, `nothing is sent to where ${what} says`, ended);
}

/** What is no file in the place of one, for reading and for writing. */
async function noFiles(stage) {
  const { random, home, check, run } = stage;
  const server = await slowService(stage);
  const id = random.letters(16);
  const thing = join(home, 'thing');
  const kind = random.pick(['pipe', 'folder', 'dangling link', 'loop', 'device', 'file']);
  if (kind === 'pipe') execFileSync('mkfifo', [thing]);
  else if (kind === 'folder') fs.mkdirSync(thing);
  else if (kind === 'file') fs.writeFileSync(thing, 'x');
  else if (kind === 'dangling link') fs.symlinkSync(join(home, 'nowhere', 'at', 'all'), thing);
  else if (kind === 'loop') fs.symlinkSync(thing, thing);
  else fs.symlinkSync(random.pick(['/dev/full', '/dev/zero', '/dev/null']), thing);
  const reply = ['posts', 'reply', id, '--target', 'TargetAdversaryA', '--text-file'];
  const hook = ['webhooks', 'create', '--url', 'https://h.example', '--event', 'post.failed'];
  const [what, argv, env] = random.pick([
    ['--text-file', [...reply, thing]],
    ['--secret-file', [...hook, '--secret-file', thing]],
    ['--cacert', ['posts', 'get', id, '--cacert', thing]],
    ['--journal', ['posts', 'retry', id, random.letters(16), '--journal', thing]],
    ['--failures-to', ['posts', 'retry', id, random.letters(16), '--failures-to', thing]],
    ['--secret-out', [...hook, '--generate-secret', '--secret-out', thing]],
    ['SOCIAL_TOKEN_FILE', ['posts', 'get', id], { SOCIAL_TOKEN: '', SOCIAL_TOKEN_FILE: thing }],
    ['SOCIAL_CONFIG_DIR', ['context', 'list'], { SOCIAL_CONFIG_DIR: join(thing, 'x') }],
    ...['SOCIAL_CONFIG_DIR', 'SOCIAL_STATE_DIR', 'XDG_CONFIG_HOME', 'HOME'].flatMap((name) =>
      [
        ['context', 'set', 'a', '--base-url', 'https://a.example'],
        ['config', 'set', 'output', 'json'],
        ['history', 'clear', '--yes'],
        ['-C', 'sandbox', 'posts', 'get', id],
      ].map((words) => [
        `${name} of ${words[0]}`,
        words,
        { SOCIAL_BASE_URL: '', [name]: random.pick([thing, join(thing, 'x')]) },
      ]),
    ),
    [
      'SOCIAL_STATE_DIR',
      ['-C', 'sandbox', 'posts', 'get', id],
      { SOCIAL_STATE_DIR: thing, SOCIAL_BASE_URL: '' },
    ],
    ['--record', ['sandbox', 'serve', '--record', thing, '--port', `${server.port}`]],
  ]);
  const ended = await run([...argv, '--retries', '0', '--timeout', '5s'], {
    env: { ...envOf(server), ...env },
  });
  check(ended.ms < 8000 * stage.slack, `${what} does not wait for a ${kind}`, ended);
}

export const round = (stage) =>
  stage.random.pick([
    journalTwice,
    journalTwice,
    oneFileForTwo,
    settingsOfOthers,
    noFiles,
    noFiles,
  ])(stage);
