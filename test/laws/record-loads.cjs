// Preloaded with `--require`: writes into the file that LOADS names which files and Node modules a run has loaded.
'use strict';

const Module = require('node:module');
const fs = require('node:fs');

const builtins = new Set();

const note = (request) => {
  if (Module.isBuiltin(request)) builtins.add(request.replace(/^(?!node:)/, 'node:'));
};

const load = Module._load;
Module._load = function (request, ...rest) {
  note(request);
  return load.call(this, request, ...rest);
};

const { getBuiltinModule } = process;
if (getBuiltinModule) {
  process.getBuiltinModule = (request) => {
    note(request);
    return getBuiltinModule.call(process, request);
  };
}

// The first use of the global loads its module.
const global = Object.getOwnPropertyDescriptor(globalThis, 'performance');
Object.defineProperty(globalThis, 'performance', {
  ...global,
  get() {
    note('perf_hooks');
    return global.get.call(globalThis);
  },
});

// The built files load one another past Node's own loader, and so past its cache.
const built = new Set();
const { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => {
  if (/[\\/]dist[\\/][^\\/]+\.cjs$/.test(String(path))) built.add(String(path));
  return readFileSync(path, ...rest);
};

process.on('exit', () => {
  const files = [...new Set([...Object.keys(require.cache), ...built])];
  files.splice(files.indexOf(__filename), 1);
  fs.writeFileSync(process.env.LOADS, JSON.stringify({ files, builtins: [...builtins] }));
});
