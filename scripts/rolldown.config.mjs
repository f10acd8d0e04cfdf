// Builds src/ into dist/: one CommonJS file for the start, one for each `import()`, everything bundled in. Writes next to
// them the notices and the bill of materials of what is bundled.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import license from 'rollup-plugin-license';

/** Installed where the platform allows it, loaded on first use, never bundled. */
const optional = [/^@napi-rs\/keyring(?:$|\/)/, /^jq-web(?:$|\/)/];

const allowedLicenses = new Set(
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT'.split(' '),
);

/** An expression like `(MIT OR CC0-1.0)` passes when each licence in it does. */
function isAllowed({ license: expression }) {
  const names = expression?.split(/[\s()]+|\bOR\b|\bAND\b/).filter(Boolean) ?? [];
  return names.length > 0 && names.every((name) => allowedLicenses.has(name));
}

/** The packages in alphabetical order; those with the same words of licence stand together above them. */
function notices(dependencies) {
  const namesByWords = new Map();
  const inOrder = dependencies.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, version, license: id, licenseText, noticeText } of inOrder) {
    const words = [licenseText, noticeText].filter(Boolean).join('\n\n').trim();
    const names = namesByWords.get(words) ?? [];
    namesByWords.set(words, [...names, `${name} ${version} (${id})`]);
  }
  const texts = [...namesByWords].map(([words, names]) => `${names.join('\n')}\n\n${words}`.trim());
  return [
    'This program contains the following packages, each under its own licence.',
    ...texts,
  ].join(`\n\n${'-'.repeat(80)}\n\n`);
}

/**
 * The bundled packages as a CycloneDX document, for scanners: `npm audit` does not see what is bundled. npm knows each
 * package of the lock file with its hash, but not which are bundled. Without time and serial number, the same sources
 * give the same document.
 */
function billOfMaterials(dependencies) {
  const bundled = new Set(dependencies.map(({ name, version }) => `${name}@${version}`));
  const sbom = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
      shell: process.platform === 'win32',
      maxBuffer: 64 * 1024 * 1024,
    }),
  );
  const { serialNumber: _, metadata, components, dependencies: edges, ...document } = sbom;
  const { component: program, tools } = metadata;
  const name = program['bom-ref'].replace(/@[^@]*$/, '');
  const part = { ...program, name, type: 'application', properties: [] };
  const included = components
    .filter((each) => bundled.delete(each['bom-ref']))
    .map((each) => ({ ...each, scope: 'required', properties: [] }));
  if (bundled.size > 0) throw new Error(`not in package-lock.json: ${[...bundled].join(', ')}`);
  const refs = new Set(included.map((each) => each['bom-ref']));
  const inside = edges
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
  const whole = { ref: part['bom-ref'], dependsOn: [...refs] };
  return JSON.stringify({
    ...document,
    metadata: { lifecycles: [{ phase: 'build' }], tools, component: part },
    components: included,
    dependencies: [whole, ...inside],
  });
}

/** The text of SKILL.md instead of its reading, because no other file of the package is read. */
const literalSkillPage = {
  name: 'literal-skill-page',
  transform: {
    filter: { id: /[\\/]src[\\/]commands[\\/]skill\.ts$/ },
    handler(source) {
      const page = readFileSync(new URL('../SKILL.md', import.meta.url), 'utf8');
      const [start, end, ...rest] = source.split(/readFileSync\(new URL\([^)]*\), 'utf8'\)/);
      if (end === undefined || rest.length > 0) throw new Error('skill.ts reads no single page');
      return { code: `${start}${JSON.stringify(page)}${end}`, map: { mappings: '' } };
    },
  },
};

export default defineConfig({
  // The start loads the second by its name.
  input: ['src/start.ts', 'src/main.ts'],
  platform: 'node',
  external: optional,
  resolve: {
    alias: { 'string-width': fileURLToPath(new URL('string-width.cjs', import.meta.url)) },
  },
  transform: { target: 'node20' },
  // A warning fails the build, but for an `import()` of a file that is imported statically too, and for the time that
  // plugins take.
  onLog: (level, log, report) => {
    if (!['INEFFECTIVE_DYNAMIC_IMPORT', 'PLUGIN_TIMINGS'].includes(log.code))
      report(level === 'warn' ? 'error' : level, log);
  },
  plugins: [
    literalSkillPage,
    license({
      thirdParty: {
        allow: { test: isAllowed, failOnUnlicensed: true, failOnViolation: true },
        multipleVersions: true,
        output: [
          { file: 'dist/NOTICES.txt', template: notices },
          { file: 'dist/sbom.cdx.json', template: billOfMaterials },
        ],
      },
    }),
  ],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    // A real `import()` of a CommonJS file would load Node's ESM loader.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Each file costs a start a third of a millisecond: what --version, a TAB, every command, every operation
    // and every call need are five.
    codeSplitting: {
      groups: [
        {
          name: 'first',
          test: /[\\/]src[\\/](?:home|base[\\/](?:paths|version))\.ts$/,
          priority: 4,
        },
        {
          name: 'tab',
          test: /[\\/]src[\\/]commands[\\/]completion[\\/]complete\.ts$/,
          priority: 3,
        },
        { name: 'schema', test: /[\\/]src[\\/]api[\\/]operations[\\/]fields\.ts$/, priority: 2 },
        { name: 'program', test: /[\\/]src[\\/](?:main|program)\.ts$/, priority: 2 },
        {
          name: 'call',
          test: /[\\/]src[\\/]cli[\\/](?:run-command|run-operation|specs-of-operation)\.ts$/,
          priority: 1,
        },
      ],
    },
    // For node --enable-source-maps.
    sourcemap: true,
    // Function and class names stay, for the stack traces of bug reports.
    minify: { mangle: { keepNames: true } },
    comments: false,
  },
});
