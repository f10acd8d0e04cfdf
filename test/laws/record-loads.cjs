// Preloaded with `--require`: says on file descriptor 3 which files and Node modules a run has loaded.
'use strict';

const Module = require('node:module');
const { writeSync } = require('node:fs');

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

process.on('exit', () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  writeSync(3, JSON.stringify({ files, builtins: [...builtins] }));
});
