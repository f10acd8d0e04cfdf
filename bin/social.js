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
  require(start);
}
