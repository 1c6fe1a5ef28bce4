import { expect, it } from 'vitest';
import { fileDiffEntry } from './unified-diff.ts';
import { contentHash, type TreeNode } from './snapshot-tree.ts';

const kept = new Map<string, Uint8Array>();
const source = { load: async (hash: string) => kept.get(hash) };

function file(content: string | Uint8Array, more: { readonly mode?: number; readonly size?: number } = {}): TreeNode {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const hash = contentHash(bytes);
  kept.set(hash, bytes);
  return { kind: 'file', mode: 0o644, size: bytes.length, hash, ...more };
}

it('compares texts and where links lead', async () => {
  expect(await fileDiffEntry(source, { from: file('a\n'), to: file('b\n') })).toEqual({
    kind: 'lines',
    text: '@@ -1 +1 @@\n-a\n+b\n',
  });
  const end = '\n\\ No newline at end of file\n';
  expect(
    await fileDiffEntry(source, { from: { kind: 'link', target: 'a' }, to: { kind: 'link', target: 'b' } }),
  ).toEqual({
    kind: 'lines',
    text: `@@ -1 +1 @@\n-a${end}+b${end}`,
  });
  expect(await fileDiffEntry(source, { to: file('') })).toEqual({ kind: 'lines', text: '' });
});

it('names what it does not compare', async () => {
  const text = file('a\n');
  const leftOut: TreeNode = { kind: 'left-out', why: 'too-large', size: 9, mark: 'x' };
  const gone: TreeNode = { kind: 'file', mode: 0o644, size: 1, hash: 'gone' };
  const kinds = await Promise.all(
    [
      { from: text, to: file('a\0b') },
      { to: file(new Uint8Array([0xff, 0xfe])) },
      { from: text, to: file('b\n', { size: 600_000 }) },
      { from: text, to: file('a\n', { mode: 0o755 }) },
      { from: text, to: leftOut },
      { from: gone, to: text },
    ].map(async (change) => (await fileDiffEntry(source, change)).kind),
  );
  expect(kinds).toEqual(['binary', 'binary', 'large', 'mode', 'not-kept', 'not-kept']);
});
