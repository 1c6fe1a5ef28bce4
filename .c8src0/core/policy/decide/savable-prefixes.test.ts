import { expect, it } from 'vitest';
import { isSavable, savablePrefixes } from './question-content.ts';

const npm = ['npm', 'install', 'left-pad', '--save'];

it('are all beginnings of the command that say what is run', () => {
  expect(savablePrefixes({ prefix: ['npm', 'install'], commands: [npm] })).toEqual([
    ['npm', 'install'],
    ['npm', 'install', 'left-pad'],
    npm,
  ]);
});

it('are what all commands share that begin so, and none of others', () => {
  const commands = [['make', 'test', 'a'], ['make', 'test', 'b'], ['ls']];
  expect(savablePrefixes({ prefix: ['make', 'test'], commands })).toEqual([['make'], ['make', 'test']]);
});

it('are shorter ones alone where the commands are not known', () => {
  expect(savablePrefixes({ prefix: ['cargo', 'test', '-q'] })).toEqual([
    ['cargo'],
    ['cargo', 'test'],
    ['cargo', 'test', '-q'],
  ]);
  expect(savablePrefixes({})).toEqual([]);
});

it.each([
  [['npm', 'install'], true],
  [npm, true],
  [['npm'], false],
  [['npm', 'publish'], false],
  [['rm', 'x'], false],
  [[...npm, 'more'], false],
  [[], false],
])('%j may be saved: %s', (wanted, isOne) => {
  expect(isSavable({ prefix: ['npm', 'install'], commands: [npm] }, wanted)).toBe(isOne);
});
