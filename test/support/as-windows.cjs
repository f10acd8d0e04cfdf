// Loaded into a process before the program, so that it finds a file system as on Windows. There are no users; every mode
// is 0666 or 0777 (0444 for a read-only file) and cannot be changed; a folder cannot be synced, a file that is open for
// appending cannot be cut, and a file that a scanner has open for a moment cannot be replaced. Paths are unchanged.
'use strict';

const fs = require('node:fs');

Object.defineProperty(process, 'platform', { value: 'win32' });
for (const name of ['getuid', 'geteuid', 'getgid', 'getegid', 'getgroups']) delete process[name];

const shown = (stats) => {
  if (stats === undefined) return stats;
  const [mode, zero] = typeof stats.mode === 'bigint' ? [BigInt, 0n] : [Number, 0];
  const isReadOnly = (Number(stats.mode) & 0o222) === 0;
  const bits = stats.isDirectory() ? 0o777 : isReadOnly ? 0o444 : 0o666;
  stats.mode = (stats.mode & ~mode(0o777)) | mode(bits);
  return Object.assign(stats, { uid: zero, gid: zero });
};
for (const name of ['statSync', 'lstatSync', 'fstatSync']) {
  const real = fs[name];
  fs[name] = (...given) => shown(real(...given));
}
fs.fchmodSync = (fd) => {
  throw Object.assign(new Error(`fchmod ${fd}`), { code: 'EPERM' });
};

const { fstatSync, fsyncSync } = fs;
fs.fsyncSync = (fd) => {
  if (fstatSync(fd).isDirectory()) throw Object.assign(new Error('fsync'), { code: 'EPERM' });
  fsyncSync(fd);
};

const refusals = new Map();
const { existsSync, renameSync } = fs;
fs.renameSync = (from, to) => {
  if (!existsSync(to)) return renameSync(from, to);
  const left = refusals.get(to) ?? ['EPERM', 'EBUSY', 'EACCES'];
  refusals.set(to, left);
  const code = left.pop();
  if (code !== undefined) throw Object.assign(new Error('rename'), { code });
  refusals.delete(to);
  return renameSync(from, to);
};

const appending = new Set();
const { openSync, closeSync, ftruncateSync } = fs;
fs.openSync = (path, flags, mode) => {
  const fd = openSync(path, flags, mode);
  if (typeof flags === 'number' && (flags & fs.constants.O_APPEND) !== 0) appending.add(fd);
  return fd;
};
fs.closeSync = (fd) => {
  appending.delete(fd);
  closeSync(fd);
};
fs.ftruncateSync = (fd, size) => {
  if (appending.has(fd)) throw Object.assign(new Error('ftruncate'), { code: 'EPERM' });
  ftruncateSync(fd, size);
};
