// Makes a release, once its owner has set what only an owner knows: npm run release lists what is not set, and ends with
// 1; otherwise it pushes the tag of the version, which .github/workflows/ci.yml publishes. `-- --dry-run` sends
// nothing: it packs the package and uses it, writes the notes to out/notes.md, lets npm check what it would publish, and
// lists what is not set.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const { name, version, author, repository, bugs } = manifest;
const tag = `v${version}`;
const locked = JSON.parse(read('package-lock.json')).packages[''];

/** The texts below the headings of a page, by heading. */
const sectionsOf = (page) =>
  page.split(/^## /m).map((section) => {
    const [heading, ...lines] = section.split(/\r?\n/);
    return { heading: heading.trim(), text: lines.join('\n').trim() };
  });

/** Whether a heading is that of this version with a day of the calendar: `1.2.3 - 2027-01-31`. */
function isDated(heading) {
  const [title, date] = heading.split(' - ');
  const day = new Date(`${date}T00:00:00Z`);
  return title === version && !Number.isNaN(day.valueOf()) && day.toISOString().startsWith(date);
}

const notes = sectionsOf(read('CHANGELOG.md')).find(({ heading }) => isDated(heading))?.text ?? '';
const report = sectionsOf(read('SECURITY.md')).find(({ heading }) => heading.startsWith('Report'));
const isUrl = (text) =>
  URL.canParse(text) && new URL(text).protocol === 'https:' && !/</.test(text);
const [, github] =
  /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\.git$/.exec(repository?.url) ?? [];
const page = 'https://github.com/<owner>/<repository>';
const [today] = new Date().toISOString().split('T');

/** What has to be set in each file: whether it is, and what to write. */
const needs = {
  'package.json': {
    // Whether a name is the owner's is known only to the owner, who says so by removing `private`.
    name: [manifest.private !== true, 'a name that is yours, such as "@<scope>/social"'],
    author: [/\w/.test(author?.name ?? author ?? ''), '"Example Ltd <cli@example.com>"'],
    repository: [github, `{ "type": "git", "url": "git+${page}.git" }`],
    homepage: [isUrl(manifest.homepage), `"${page}#readme"`],
    bugs: [isUrl(bugs?.url), `{ "url": "${page}/issues" }`],
    keywords: [manifest.keywords?.length > 0, '["cli"]'],
    publishConfig: [manifest.publishConfig?.access === 'public', '{ "access": "public" }'],
    private: [manifest.private !== true, 'remove the field, last of all'],
  },
  'package-lock.json': {
    name: [locked.name === name, 'run npm install --package-lock-only'],
    version: [locked.version === version, 'run npm install --package-lock-only'],
  },
  'README.md': {
    uninstall: [read('README.md').includes(`--global ${name}\``), `npm uninstall --global ${name}`],
  },
  'SECURITY.md': {
    [report?.heading ?? 'Report a vulnerability']: [
      /https:\/\/|\w@\w/.test(report?.text),
      `an address, such as ${page}/security/advisories/new`,
    ],
  },
  'CHANGELOG.md': { heading: [notes, `## ${version} - ${today}, and below it what is new`] },
};
const missing = Object.entries(needs).flatMap(([file, fields]) =>
  Object.entries(fields)
    .filter(([, [isSet]]) => !isSet)
    .map(([field, [, example]]) => {
      const now =
        file === 'package.json' ? ` (now ${JSON.stringify(manifest[field]) ?? 'absent'})` : '';
      return `  ${file}, ${field}${now}: ${example}`;
    }),
);

/** Runs a program and returns its stdout; throws with its output unless it ends with 0. */
function run(file, ...args) {
  const shell = process.platform === 'win32';
  const env = { ...process.env, npm_config_dry_run: undefined };
  const ended = spawnSync(file, args, { cwd: root, encoding: 'utf8', shell, env });
  const { status, stdout, stderr, error } = ended;
  if (status === 0) return stdout.trim();
  throw new Error(`${file} ${args.join(' ')}:\n${stdout}${stderr}${error ?? ''}`);
}

/** Does everything but sending. */
function rehearse() {
  const file = basename(run('npm', 'run', '--silent', 'pack').split('\n').at(-1));
  const notesFile = join(root, 'out/notes.md');
  rmSync(notesFile, { force: true });
  if (notes) writeFileSync(notesFile, `${notes}\n`);
  run('npm', 'publish', `./out/${file}`, '--dry-run');
  console.log(`ok: ${file} is packed, was used, and npm would publish it`);
  if (missing.length === 0)
    console.log(`ready: npm run release pushes ${tag}, with out/notes.md as its notes`);
}

function release() {
  if (run('git', 'status', '--porcelain') !== '')
    throw new Error('Nothing was done: git status lists changes, commit them first');
  run('git', 'push', 'origin', `HEAD:refs/tags/${tag}`);
  console.log(`pushed ${tag}: https://github.com/${github}/actions publishes it`);
}

const [flag, ...more] = process.argv.slice(2);
// `npm run release --dry-run` gives the flag to npm, not to the script.
const isDryRun = flag === '--dry-run' || process.env.npm_config_dry_run === 'true';
try {
  if (more.length > 0 || ![undefined, '--dry-run'].includes(flag))
    throw new Error('Nothing was done: npm run release takes --dry-run and nothing else');
  if (isDryRun) rehearse();
  if (missing.length > 0) {
    console.log(`${name} ${version} is not ready. To be set:\n${missing.join('\n')}`);
    if (!isDryRun) process.exitCode = 1;
  } else if (!isDryRun) release();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
