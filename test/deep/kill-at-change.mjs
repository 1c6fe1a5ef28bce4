// Loaded before a program: kills it before its Nth change of the disk. CAPSTAN_TEST_KILL_AT says which.
const fs = process.getBuiltinModule('node:fs');
let left = Number(process.env['CAPSTAN_TEST_KILL_AT']);
const names = [
  'rename',
  'unlink',
  'mkdir',
  'rmdir',
  'chmod',
  'fchmod',
  'symlink',
  'write',
  'writeFile',
  'fsync',
  'fdatasync',
];
for (const name of names) {
  for (const form of [name, `${name}Sync`]) {
    const change = fs[form];
    fs[form] = (...words) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return change(...words);
    };
  }
}
