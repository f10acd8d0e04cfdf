// Mutation testing, on demand: node scripts/mutate.mjs [area …]. Works on a copy of the project in a temporary folder,
// where the instrumenter is installed. MUTATION_COPY=<folder> keeps the copy and its results for the next run. Prints
// the score of each file and area, and the mutants that survived.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const VERSION = '9.6.1';
/**
 * A run whose log does not change for this long after its test should have ended hangs: in one test, or in all of them.
 */
const SILENCE_MS = 2500;
const SILENCE_OF_ALL_MS = 300_000;
/** The time of a test that does not end. */
const NEVER = 1_000_000_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const kept = process.env.MUTATION_COPY;
const copy = kept ?? mkdtempSync(join(tmpdir(), 'social-mutation-'));
const areas = JSON.parse(readFileSync(join(root, 'test/mutation/areas.json'), 'utf8'));
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(areas);

/** Copies the project, and installs the instrumenter. */
function fill() {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'utf8' },
  );
  for (const folder of ['src', 'test'])
    rmSync(join(copy, folder), { recursive: true, force: true });
  const present = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of [...present, 'dist'])
    cpSync(join(root, file), join(copy, file), { recursive: true, verbatimSymlinks: true });
  if (existsSync(join(copy, 'node_modules/@stryker-mutator/instrumenter'))) return;
  cpSync(join(root, 'node_modules'), join(copy, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const { status } = spawnSync(
    'npm',
    [
      'install',
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      ...['core', 'instrumenter'].map((name) => `@stryker-mutator/${name}@${VERSION}`),
    ],
    { cwd: copy, stdio: ['ignore', 2, 2] },
  );
  if (status !== 0) throw new Error(`npm install ended with ${status}`);
}

/** Writes all mutants into the files of the copy, each behind a switch, and returns them. */
async function instrument() {
  const resolve = createRequire(join(copy, 'package.json')).resolve;
  const { Instrumenter } = await import(
    pathToFileURL(resolve('@stryker-mutator/instrumenter')).href
  );
  const silent = { debug() {}, info() {}, warn: console.error, isDebugEnabled: () => false };
  const names = [...new Set(Object.values(areas).flatMap(({ mutate }) => mutate))];
  const files = names.map((name) => ({
    name,
    mutate: true,
    content: readFileSync(join(copy, name), 'utf8'),
  }));
  const { files: changed, mutants } = await new Instrumenter(silent).instrument(files, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
    noHeader: false,
  });
  for (const { name, content } of changed) writeFileSync(join(copy, name), content);
  const lines = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  return mutants
    .filter(({ statusReason, status }) => status === undefined && statusReason === undefined)
    .map(({ id, fileName, mutatorName, replacement, location: { start, end } }) => {
      const line = lines.get(fileName)[start.line] ?? '';
      const of = line.slice(start.column, start.line === end.line ? end.column : undefined);
      return { id, file: fileName, mutatorName, replacement, start, of };
    });
}

/** The results of an area so far, from its log. */
function known(log) {
  const facts = existsSync(log)
    ? readFileSync(log, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  const of = (key) => new Set(facts.flatMap((fact) => fact[key] ?? []));
  const [noticed, late, lived] = [of('noticed'), of('late'), of('lived')];
  return { noticed, late, lived, loaded: of('loaded'), reached: of('reached'), facts };
}

/**
 * What was at work when a run ended or hung. A mutant in whose trial it did is a suspect, and is late only if it
 * happens again when the mutant is the first that a process tries: what is left of earlier ones may have done it. A
 * test that hangs as it is, is left out from now on.
 */
function blamed(facts) {
  const { tries, test, begins, proves } = facts.at(-1) ?? {};
  if (begins !== undefined) return { test: begins, tookMs: NEVER };
  if (proves !== undefined) return { unproved: proves.length > 1 ? [] : proves, test };
  if (tries === undefined) return undefined;
  const wasSuspect = facts.some((fact) => fact.suspect === tries && fact.test === test);
  return { [wasSuspect ? 'late' : 'suspect']: tries, test };
}

/**
 * Runs a program to its end; one that hangs in a mutant is killed, and one may be ended by it: both count as noticed.
 */
function watched(argv, log, env) {
  return new Promise((done) => {
    const output = [];
    const child = spawn(process.execPath, argv, { cwd: copy, env, detached: true });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => output.push(text));
    const stop = () => process.kill(-Number(child.pid), 'SIGKILL');
    const blame = () => {
      const fact = blamed(known(log).facts);
      if (fact !== undefined) writeFileSync(log, `${JSON.stringify(fact)}\n`, { flag: 'a' });
    };
    const timer = setInterval(() => {
      const { withinMs } = known(log).facts.at(-1) ?? {};
      const silent = withinMs === undefined ? SILENCE_OF_ALL_MS : withinMs + SILENCE_MS;
      if (Date.now() - statSync(log).mtimeMs < silent) return;
      blame();
      stop();
    }, 2000);
    child.on('close', (code, signal) => {
      clearInterval(timer);
      const said = Buffer.concat(output).toString();
      const hasDied = said.includes('Worker exited unexpectedly');
      if (hasDied) blame();
      done({ hung: signal === 'SIGKILL' || hasDied, code, output: said });
    });
  });
}

/** What was noticed in files whose code is the same is noticed still; what lived is tried again. */
function stillNoticed(before, mutants, old) {
  const codeOf = (all) => JSON.stringify(all.map(({ id: _id, ...rest }) => rest));
  return [...new Set(mutants.map(({ file }) => file))].flatMap((name) => {
    const [then, now] = [before, mutants].map((all) => all.filter(({ file }) => file === name));
    if (codeOf(then) !== codeOf(now)) return [];
    return ['noticed', 'late'].flatMap((key) =>
      now
        .filter((_mutant, i) => old[key].has(then[i].id))
        .map(({ id }) => ({ [key]: id, test: 'before' })),
    );
  });
}

async function judge(area, mutants) {
  const name = area.replaceAll(/\W+/g, '-');
  const [log, input] = ['jsonl', 'json'].map((end) => join(copy, 'mutation', `${name}.${end}`));
  mkdirSync(dirname(log), { recursive: true });
  const before = existsSync(input) ? JSON.parse(readFileSync(input, 'utf8')) : [];
  const own = mutants.filter(({ file }) => areas[area].mutate.includes(file));
  const ids = own.map(({ id }) => id);
  const facts = stillNoticed(before, own, known(log));
  writeFileSync(input, JSON.stringify(own));
  writeFileSync(log, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
  // Its own: what changed code leaves there is in nobody's way.
  const TMPDIR = join(copy, 'tmp');
  mkdirSync(TMPDIR, { recursive: true });
  const env = {
    ...process.env,
    TMPDIR,
    MUTATION_AREA: area,
    MUTATION_LOG: log,
    MUTATION_IDS: ids.join(','),
  };
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/mutation/vitest.config.mts',
  ];
  let ended;
  do ended = await watched(vitest, log, env);
  while (ended.hung);
  writeFileSync(join(dirname(log), `${name}.out`), ended.output);
  for (;;) {
    const { noticed, late, lived, loaded } = known(log);
    const settled = new Set([...noticed, ...late, ...lived]);
    const rest = ids.filter((id) => loaded.has(id) && !settled.has(id));
    if (rest.length === 0) break;
    const { hung, code, output } = await watched(
      ['test/mutation/statics.mjs', log, ...rest],
      log,
      env,
    );
    if (!hung && code !== 0) throw new Error(output);
  }
  return report(area, own, known(log));
}

/** Prints the results of each file, and where the surviving mutants are. */
function report(area, mutants, { noticed, late, loaded, reached }) {
  const lines = [];
  const total = { noticed: 0, late: 0, lived: 0 };
  for (const file of areas[area].mutate) {
    const here = { noticed: 0, late: 0, lived: 0 };
    const living = [];
    for (const mutant of mutants.filter((each) => each.file === file)) {
      const { id, start, mutatorName, of, replacement } = mutant;
      const end = noticed.has(id) ? 'noticed' : late.has(id) ? 'late' : 'lived';
      here[end]++;
      total[end]++;
      const untested = reached.has(id) || loaded.has(id) ? '' : ', no test';
      if (end === 'lived')
        living.push(
          `    ${start.line + 1}:${start.column + 1} ${mutatorName}${untested}: ${of} → ${replacement}`,
        );
    }
    lines.push(lineFor(`  ${file}`, here), ...living);
  }
  console.log([lineFor(area, total), ...lines].join('\n'));
  return { area, ...total };
}

/** A mutant whose tests never end counts as noticed. */
function lineFor(what, { noticed, late, lived }) {
  const total = noticed + late + lived;
  const share = ((100 * (noticed + late)) / Math.max(1, total)).toFixed(1);
  return `${what}: ${noticed + late} of ${total} noticed (${late} by tests that never ended), ${share} %`;
}

try {
  fill();
  const mutants = await instrument();
  const all = [];
  for (const area of chosen) all.push(await judge(area, mutants));
  for (const each of all) console.log(lineFor(each.area, each));
  const sum = (key) => all.reduce((total, each) => total + each[key], 0);
  console.log(lineFor('all', { noticed: sum('noticed'), late: sum('late'), lived: sum('lived') }));
} finally {
  if (kept === undefined) rmSync(copy, { recursive: true, force: true });
}
