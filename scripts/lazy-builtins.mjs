// Node's own modules that cost a start milliseconds and that most commands do not use: loaded when the first of
// their names is used. A `get` of one post takes a fifth less CPU for it (npm run bench -- start).

import Module, { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** CPU of each on Node 20, in ms: crypto 3, fs/promises 2, child_process 3, dns 1, http 3, tls 3, http2 4, tty 3 (with net), v8 2, zlib 1. */
const lazy = ['child_process', 'crypto', 'dns', 'fs/promises', 'http', 'tls', 'tty', 'v8', 'zlib'];

/** What stands in for a module where a package takes it apart at once, though nothing of it will be used here. */
const standIns = {
  // The class is compared with, the number is the default of a limit that is always given.
  'undici:http': 'module.exports = { IncomingMessage: class {}, maxHeaderSize: 16384 };',
  // undici goes without HTTP/2 where Node has none; it is not offered here.
  'undici:http2': `throw new Error('no HTTP/2');`,
  'undici:assert': `
    const real = () => require('node:assert');
    module.exports = (value, message) => { if (!value) real()(value, message); };
    module.exports.strictEqual = (...given) => { if (given[0] !== given[1]) real().strictEqual(...given); };`,
};

const PREFIX = '\0node:';

export const lazyBuiltins = {
  name: 'lazy-builtins',
  resolveId(source, importer = '') {
    if (!source.startsWith('node:') || importer.startsWith(PREFIX)) return null;
    const name = source.slice('node:'.length);
    const taker = /node_modules[\\/]([^\\/]+)[\\/](?!.*node_modules)/.exec(importer)?.[1];
    const standIn = `${taker}:${name}`;
    if (standIn in standIns) return PREFIX + standIn;
    return lazy.includes(name) ? PREFIX + name : null;
  },
  load(id) {
    if (!id.startsWith(PREFIX)) return null;
    const name = id.slice(PREFIX.length);
    return { code: standIns[name] ?? getters(name), moduleType: 'js' };
  },
};

/** A CommonJS module with a getter for each of the names of a module of Node's. */
function getters(name) {
  if (!Module.isBuiltin(name)) throw new Error(`${name} is not a module of Node's`);
  const names = Object.keys(require(`node:${name}`)).filter((each) => /^\w+$/.test(each));
  const list = names.map((each) => `get ${each}() { return real().${each}; }`);
  return `const real = () => require('node:${name}');\nmodule.exports = { ${list.join(', ')} };`;
}
