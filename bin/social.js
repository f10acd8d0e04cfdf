#!/usr/bin/env node
// Starts the built program. Written for any Node at all, so that an old one gets a sentence and no stack.
'use strict';

// Before anything else: Node would answer this signal with a debugger that every user of the machine can open.
process.on('SIGUSR1', function () {});

var fs = require('fs');
var path = require('path');

var start = path.join(__dirname, '..', 'dist', 'start.cjs');
var node = process.versions.node.split('.').map(Number);

if (node[0] < 20 || (node[0] === 20 && node[1] < 19)) {
  process.stderr.write('social needs Node 20.19 or newer; this is ' + process.version + '\n');
  process.exitCode = 2;
} else if (!fs.existsSync(start)) {
  process.stderr.write('social is not built: npm run build\n');
  process.exitCode = 1;
} else {
  try {
    require(start).started.catch(failToStart);
  } catch (error) {
    failToStart(error);
  }
}

/** Nothing else of the program may be loaded any more if no more files can be opened. */
function failToStart(error) {
  if (!/\bE[MN]FILE\b/.test(error && error.message)) throw error;
  process.stderr.write(
    'error: too many open files\n  raise the limit of this shell: ulimit -n 256\n',
  );
  process.exitCode = 13;
}
