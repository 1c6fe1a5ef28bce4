import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { expectLinear } from '../../../testing/test-inputs.ts';
import type { PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt } from '../paths/access.ts';
import { deniedPathsInOutput } from './denied-by-output.ts';

function restricted(...rules: readonly PathRule[]): ResolvedPolicy {
  const root: PathRule = { path: '/', access: 'read', ifMissing: 'skip' };
  return {
    enforcement: 'managed',
    files: { kind: 'restricted', rules: [root, ...rules], denyGlobs: [], platformDefaults: false },
    network: 'restricted',
  };
}

const workspace = restricted(
  { path: '/repo', access: 'write', ifMissing: 'skip' },
  { path: '/repo/.git', access: 'read', ifMissing: 'protect' },
  { path: '/repo/secret', access: 'deny', ifMissing: 'protect' },
);

const named = (output: string): readonly string[] =>
  deniedPathsInOutput(output, workspace, '/repo').map(({ path, access: needed }) => `${needed} ${path}`);

test.each([
  ["touch: cannot touch '/etc/x': Read-only file system", ['write /etc/x']],
  ['bash: line 1: /etc/x: Read-only file system', ['write /etc/x']],
  ['mkdir: cannot create directory ‘/srv/a b’: Read-only file system', ['write /srv/a b']],
  ["fatal: Unable to create '/repo/.git/index.lock': Read-only file system", ['write /repo/.git/index.lock']],
  ["error: cannot open '.git/FETCH_HEAD': Read-only file system", ['write /repo/.git/FETCH_HEAD']],
  ["Error: EROFS: read-only file system, open '/etc/x'", ['write /etc/x']],
  ["OSError: [Errno 30] Read-only file system: '/usr/lib/x'", ['write /usr/lib/x']],
  ['open /root/.cache/go-build: read-only file system', ['write /root/.cache/go-build']],
  [
    'error: failed to create directory `/root/.cargo/x`\n\nCaused by:\n  Read-only file system (os error 30)',
    ['write /root/.cargo/x'],
  ],
  ['cat: /repo/secret/key: Permission denied', ['read /repo/secret/key']],
  ["rm: cannot remove '/srv/../srv/a': Operation not permitted", ['write /srv/a']],
])('finds in %j', (output, expected) => expect(named(output)).toEqual(expected));

test.each([
  ['a file that the policy lets be read, and its owner does not', 'cat: /etc/shadow: Permission denied'],
  ['a file that may be written', "touch: cannot touch '/repo/x': Read-only file system"],
  ['a test that prints the words', 'FAIL test/login.test.ts > says permission denied to strangers'],
  ['a test that prints the words and a path', 'AssertionError: expected "/repo/a" to equal "permission denied"'],
  ['words about sandboxes', 'The sandbox said: operation not permitted'],
  ['a path far from the words', '/etc/x was read\nnothing else happened\nread-only file system is a nice phrase'],
])('takes for none: %s', (_name, output) => expect(named(output)).toEqual([]));

const complaints = [
  'permission denied',
  'Read-only file system',
  'EROFS',
  'EPERM',
  ': ',
  '\n',
  "'",
  '"',
  '`',
  ' ',
  'open ',
];
const names = [
  '/etc/x',
  '/repo/a',
  '/repo/.git/config',
  '/repo/secret/k',
  'x',
  'src/a.ts',
  '/',
  '..',
  'sandbox',
  'é',
  '\0',
];

describe('whatever is printed', () => {
  const word = fc.constantFrom(...complaints, ...names);
  const output = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));

  it('every path that is found is named in it, or lies where it says, and is refused by the policy', () => {
    fc.assert(
      fc.property(output, (text) => {
        for (const { path, access: needed } of deniedPathsInOutput(text, workspace, '/repo')) {
          expect(text.includes(path.split('/').at(-1)!)).toBe(true);
          const granted = accessAt(workspace, path);
          expect(granted === 'deny' || (needed === 'write' && granted === 'read')).toBe(true);
        }
      }),
    );
  });

  it('nothing is found where nothing is refused', () => {
    const open: ResolvedPolicy = { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };
    const writable = restricted({ path: '/', access: 'write', ifMissing: 'skip' });
    fc.assert(
      fc.property(output, fc.constantFrom(open, writable), (text, policy) => {
        expect(deniedPathsInOutput(text, policy, '/repo')).toEqual([]);
      }),
    );
  });

  it('takes no longer than the output is long', () => {
    const refused = ': read-only file system\n';
    expectLinear(100_000, (count) => deniedPathsInOutput(`${"'".repeat(count)}${refused}`, workspace, '/repo'));
    expectLinear(6400, (count) => deniedPathsInOutput(`'/a'${refused}`.repeat(count), workspace, '/repo'));
  });
});
