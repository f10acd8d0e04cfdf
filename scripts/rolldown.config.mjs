// Builds src/ into dist/: one CommonJS file for the start, one for each `import()`, everything bundled in.
// Writes next to them the notices of what is bundled (shipped) and the map of the chunks (for the tests).

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';
import license from 'rollup-plugin-license';
import { leanChunks } from './lean-chunks.mjs';
import { serverZod } from './server-zod.mjs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Installed where the platform allows it, loaded on first use, never bundled. */
const optional = [/^@napi-rs\/keyring(?:$|\/)/, /^jq-web(?:$|\/)/];

const allowedLicenses = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
]);

/** An expression like `(MIT OR CC0-1.0)` passes when each licence in it does. */
function isAllowed({ license: expression }) {
  const names = expression?.split(/[\s()]+|\bOR\b|\bAND\b/).filter(Boolean) ?? [];
  return names.length > 0 && names.every((name) => allowedLicenses.has(name));
}

const byText = (a, b) => (a < b ? -1 : 1);

/** The packages in alphabetical order; those with the same words of licence stand together above them. */
function notices(dependencies) {
  const packages = dependencies.map(({ name, version, license: id, licenseText, noticeText }) => ({
    name: `${name} ${version} (${id})`,
    words: [licenseText, noticeText].filter(Boolean).join('\n\n').trim(),
  }));
  const namesByWords = new Map();
  for (const { name, words } of packages.toSorted((a, b) => byText(a.name, b.name)))
    namesByWords.set(words, [...(namesByWords.get(words) ?? []), name]);
  return [
    'This program contains the following packages, each under its own licence.',
    ...[...namesByWords].map(([words, names]) => `${names.join('\n')}\n\n${words}`.trim()),
  ].join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** What the program knows of its package as literals, so that whoever shows them loads nothing else. */
const packageFacts = {
  version: manifest.version,
  homepage: manifest.homepage,
  bugs: manifest.bugs?.url,
};
const literalPackageFacts = {
  name: 'literal-package-facts',
  transform: {
    filter: { id: /[\\/]src[\\/]base[\\/]version\.ts$/ },
    handler: () =>
      Object.entries(packageFacts)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n'),
  },
};

const unique = (names) => [...new Set(names.filter(Boolean))].toSorted(byText);

/** dist/chunks.json: for each built file, the packages and the sources in it and the files it requires at once. */
const chunkMap = {
  name: 'chunk-map',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    const rows = chunks.map(({ fileName, modules, imports }) => {
      const ids = Object.keys(modules).map((id) => id.replaceAll('\\', '/'));
      const packages = ids.map((id) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
      const sources = ids.map((id) => /^(?!.*\/node_modules\/).*\/(src\/.*)$/.exec(id)?.[1]);
      return [fileName, { packages: unique(packages), sources: unique(sources), imports }];
    });
    const source = `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`;
    this.emitFile({ type: 'asset', fileName: 'chunks.json', source });
  },
};

/** A hash of all built files, so that the code cache of another build is never used. */
const buildHash = {
  name: 'build-hash',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    const hash = createHash('sha256');
    for (const { code } of chunks.toSorted((a, b) => byText(a.fileName, b.fileName)))
      hash.update(code);
    const build = hash.digest('hex').slice(0, 16);
    for (const chunk of chunks) chunk.code = chunk.code.replace('__SOCIAL_BUILD__', build);
  },
};

/** The room of a source as the start of a chunk's name: `wait-watch-….cjs`; nothing for packages and named groups. */
function roomOf(id) {
  const room = /[\\/]src[\\/](\w+)[\\/]/.exec(id ?? '')?.[1];
  return room === undefined ? '' : `${room}-`;
}

export default defineConfig({
  input: { start: 'src/start.ts', main: 'src/main.ts' },
  platform: 'node',
  external: optional,
  transform: { target: 'node20' },
  // A warning fails the build. Two are ignored: an `import()` between files that are one chunk on purpose, and the time
  // that plugins take.
  onLog: (level, log, report) => {
    if (!['INEFFECTIVE_DYNAMIC_IMPORT', 'PLUGIN_TIMINGS'].includes(log.code))
      report(level === 'warn' ? 'error' : level, log);
  },
  optimization: { inlineConst: { mode: 'all', pass: 1 } },
  plugins: [
    literalPackageFacts,
    serverZod,
    license({
      thirdParty: {
        allow: { test: isAllowed, failOnUnlicensed: true, failOnViolation: true },
        multipleVersions: true,
        output: { file: 'dist/NOTICES.txt', template: notices },
      },
    }),
    chunkMap,
    buildHash,
    leanChunks,
  ],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    // External packages are CommonJS too; a real `import()` would need Node's ESM loader, which the code cache
    // bypasses.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ name, facadeModuleId }) => `${roomOf(facadeModuleId)}${name}-[hash].cjs`,
    codeSplitting: {
      groups: [
        {
          name: 'commands-complete',
          test: /[\\/]src[\\/](?:base[\\/](?:paths|sanitize)|commands[\\/]completion[\\/](?:complete|candidates)|history[\\/]seen-file|api[\\/]schema[\\/]id-patterns)\.ts$/,
          priority: 6,
        },
        // The start loads it first.
        { name: 'output-locale', test: /[\\/]src[\\/]output[\\/]locale\.ts$/, priority: 7 },
        {
          name: 'cli-program',
          test: /[\\/]src[\\/](?:base[\\/](?:running-clock|abort)|client[\\/]transport[\\/]timeouts|program|output[\\/]error-report|fs[\\/]io-errors|cli[\\/]command-group)\.ts$/,
          priority: 5,
        },
        // What commands need that send nothing: settings, tokens, files on disk, output. No schema of posts.
        {
          name: 'cli-local-command',
          test: /[\\/]src[\\/](?:cli[\\/]local-command|config[\\/](?:accounts|names|auth[\\/]token))\.ts$/,
          priority: 4,
        },
        // What every operation needs. The schemas of posts lie apart: they take 3 ms to load and to make.
        {
          name: 'cli-operation-command',
          test: /[\\/]src[\\/](?:cli[\\/]operation-command|api[\\/](?:schema[\\/](?:ids|platforms)|operations[\\/]shared-fields))\.ts$/,
          priority: 3,
        },
        {
          name: 'api-posts',
          test: /[\\/]src[\\/](?:commands[\\/]posts[\\/]tell-next-step|api[\\/]operations[\\/]posts)\.ts$/,
          priority: 2,
        },
        {
          name: 'cli-run-operation',
          test: /[\\/]src[\\/](?:cli[\\/]run-operation|client[\\/]call-operation)\.ts$/,
          priority: 2,
        },
        {
          name: 'commands-posts',
          test: /[\\/]src[\\/]commands[\\/]posts[\\/](?:retry|wait)\.ts$/,
          priority: 0,
        },
        {
          name: 'client-transport',
          test: /[\\/]src[\\/]client[\\/](?:open-service|transport[\\/](?:tls|open-transport))\.ts$/,
          priority: 1,
        },
      ],
    },
    // V8 stores an ASCII source in half the space, and reads it without decoding.
    charset: 'ascii',
    // Read where a stack is shown (src/output/stack-sources.ts); no file names its map, so that none is looked for.
    sourcemap: 'hidden',
    // Function and class names stay, for the stack traces of bug reports.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    comments: false,
  },
});
