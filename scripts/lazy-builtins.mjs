// A build plugin that loads some of Node's modules on first use: they cost a start milliseconds, and most commands do
// not use them. A `get` of one post takes a fifth less CPU (npm run bench -- start).

import Module, { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * CPU of each on Node 20, in ms: crypto 3, fs/promises 2, child_process 3, dns 1, http 3, tls 3, tty 3 (with net), v8
 * 2, zlib 1.
 */
const lazy = ['child_process', 'crypto', 'dns', 'fs/promises', 'http', 'tls', 'tty', 'v8', 'zlib'];

const PREFIX = '\0node:';

export const lazyBuiltins = {
  name: 'lazy-builtins',
  resolveId(source, importer = '') {
    if (!source.startsWith('node:') || importer.startsWith(PREFIX)) return null;
    const name = source.slice('node:'.length);
    return lazy.includes(name) ? PREFIX + name : null;
  },
  load(id) {
    if (!id.startsWith(PREFIX)) return null;
    return { code: getters(id.slice(PREFIX.length)), moduleType: 'js' };
  },
};

/** A CommonJS module with a lazy getter for each export of a module of Node. */
function getters(name) {
  if (!Module.isBuiltin(name)) throw new Error(`${name} is not a module of Node's`);
  const names = Object.keys(require(`node:${name}`)).filter((each) => /^\w+$/.test(each));
  const list = names.map((each) => `get ${each}() { return real().${each}; }`);
  // By its own table, require takes a microsecond: as long as a random UUID.
  return `let loaded;\nconst real = () => (loaded ??= require('node:${name}'));\nmodule.exports = { ${list.join(', ')} };`;
}
