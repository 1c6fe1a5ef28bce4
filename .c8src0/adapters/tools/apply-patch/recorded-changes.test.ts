import { expect, it } from 'vitest';
import type { FileChangeItem } from '../../../protocol/turn-item.ts';
import { recordedChanges } from './recorded-changes.ts';

const changes: FileChangeItem['changes'] = [
  { path: '/repo/new.txt', kind: 'add' },
  { path: '/repo/old.txt', kind: 'update' },
];
const text =
  '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Update File: old.txt\n@@\n a\n-b\n+c\n*** End Patch\n';
const lines = (header: string) => [
  { ...changes[0]!, diff: '+hello' },
  { ...changes[1]!, diff: `${header}\n a\n-b\n+c` },
];

it.each([
  ['as it is', { tool: 'apply_patch', input: text }],
  ['as an argument', { tool: 'apply_patch', input: JSON.stringify({ input: text }) }],
  ['as a command', { tool: 'exec_command', input: JSON.stringify({ cmd: `cd x && apply_patch <<'E'\n${text}E\n` }) }],
])('has the lines of the call: a patch %s', (_, call) => {
  expect(recordedChanges({ changes, call, places: [null, [4]] })).toEqual(lines('@@ -5,2 +5,2 @@'));
  expect(recordedChanges({ changes, call })).toEqual(lines('@@'));
});

it('has those of an edit', () => {
  const call = { tool: 'edit_file', input: JSON.stringify({ path: 'old.txt', old_text: 'b', new_text: 'c' }) };
  expect(recordedChanges({ changes: [changes[1]!], call, places: [[2]] })).toEqual([
    { ...changes[1]!, diff: '@@ -3,1 +3,1 @@\n-b\n+c' },
  ]);
});

it('names the files as the patch does where nothing else is known', () => {
  const call = { tool: 'apply_patch', input: text };
  expect(recordedChanges({ changes: [], call }).map(({ path, kind }) => [path, kind])).toEqual([
    ['new.txt', 'add'],
    ['old.txt', 'update'],
  ]);
});

it.each([
  ['names other files', { changes: [changes[1]!], call: { tool: 'apply_patch', input: text } }],
  ['is no patch', { changes, call: { tool: 'apply_patch', input: 'nonsense' } }],
  ['is of another tool', { changes, call: { tool: 'rename', input: '{"cmd":7}' } }],
  ['is not known', { changes }],
  ['has lines already', { changes: lines('@@'), call: { tool: 'apply_patch', input: text } }],
])('leaves the files as they are where the call %s', (_, item) => {
  expect(recordedChanges(item)).toBe(item.changes);
});
