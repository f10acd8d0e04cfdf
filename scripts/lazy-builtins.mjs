// A build plugin that loads some of Node's modules on first use: they cost a start milliseconds, and most commands do not
// use them. A `get` of one post takes a fifth less CPU (npm run bench -- start).

import { readFile } from 'node:fs/promises';
import Module, { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** CPU of each on Node 20, in ms: crypto 3, fs/promises 2, child_process 3, dns 1, http 3, tls 3, tty 3 (with net), v8 2, zlib 1. */
const lazy = ['child_process', 'crypto', 'dns', 'fs/promises', 'http', 'tls', 'tty', 'v8', 'zlib'];

const PREFIX = '\0node:';

/**
 * undici works without HTTP/2 where Node is built without it. Here its import of node:http2 always fails, as nothing uses
 * HTTP/2: loading it costs a `get` 1.05 times the CPU on Node 20, 1.2 on Node 22 and 26, and 2 to 6 MiB.
 */
const NO_HTTP2 = `${PREFIX}no-http2`;
const inUndici = /[\\/]node_modules[\\/]undici[\\/](?!.*node_modules)/;
/** The only import of it that tolerates a failure. */
const asked =
  /try \{\s*http2 = require\('node:http2'\)\s*\} catch \{[^{}]*http2 = \{ constants: \{\} \}\s*\}/;

export const lazyBuiltins = {
  name: 'lazy-builtins',
  async resolveId(source, importer = '') {
    if (!source.startsWith('node:') || importer.startsWith(PREFIX)) return null;
    const name = source.slice('node:'.length);
    if (name === 'http2' && inUndici.test(importer)) {
      const code = await readFile(importer, 'utf8');
      if (!asked.test(code) || code.split("require('node:http2')").length > 2)
        this.error(
          `${importer} needs HTTP/2 in a way that scripts/lazy-builtins.mjs does not know`,
        );
      return NO_HTTP2;
    }
    return lazy.includes(name) ? PREFIX + name : null;
  },
  load(id) {
    if (!id.startsWith(PREFIX)) return null;
    const code =
      id === NO_HTTP2 ? `throw new Error('no HTTP/2');` : getters(id.slice(PREFIX.length));
    return { code, moduleType: 'js' };
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
