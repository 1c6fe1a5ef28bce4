import { join } from 'node:path';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { loadLandlock } from '../../src/adapters/sandbox/linux/landlock-library.ts';
import {
  assembleFilter,
  errorStatement,
  isSeccompArchitecture,
  jumpStatement,
  labelStatement,
  loadStatement,
} from '../../src/adapters/sandbox/linux/seccomp.ts';

// Becomes the command in its words, behind a filter that answers as Docker's usual one does, and on request as a kernel
// without Landlock.

const calls = loadLandlock(join(import.meta.dirname, '../../node_modules/koffi/index.cjs'));
const { arch } = process;
if (!isSeccompArchitecture(arch)) throw new Error(`There is no filter for ${arch}.`);
const number = arch === 'x64' ? { unshare: 272, clone: 56, mount: 165 } : { unshare: 97, clone: 220, mount: 40 };
const [clone3, createRuleset, notImplemented, firstArgument] = [435, 444, 38, 16];
const given = process.argv.slice(2);
const isBare = given[0] === '--without-landlock';
const [name = '', ...words] = isBare ? given.slice(1) : given;
const folders = (process.env['PATH'] ?? '').split(':');
const program = [name, ...folders.map((folder) => `${folder}/${name}`)].find(
  (path) => path.includes('/') && nodeProgramFiles.program(path) !== undefined,
);
if (program === undefined) throw new Error(`${name}: not found`);
calls.forbidPrivileges();
const body = [
  jumpStatement('equal', number.unshare, 'deny', 'next'),
  jumpStatement('equal', number.mount, 'deny', 'next'),
  jumpStatement('equal', clone3, 'unknown', 'next'),
  ...(isBare ? [jumpStatement('equal', createRuleset, 'unknown', 'next')] : []),
  jumpStatement('equal', number.clone, 'next', 'allow'),
  loadStatement(firstArgument),
  jumpStatement('anyOf', 0x7e02_0000, 'deny', 'allow'),
];
calls.addFilter(assembleFilter(arch, body, [labelStatement('unknown'), errorStatement(notImplemented)]));
process.execve?.(program, [name, ...words], process.env as Record<string, string>);
