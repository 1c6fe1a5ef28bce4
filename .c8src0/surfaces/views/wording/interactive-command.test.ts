import { expect, it } from 'vitest';
import { interactiveCommand } from './interactive-command.ts';

it.each([
  ['/compact', { kind: 'compact' }],
  ['  /compact \n', { kind: 'compact' }],
  ['/compact the failing login test', { kind: 'compact', focus: 'the failing login test' }],
  ['/compact\n two\nlines ', { kind: 'compact', focus: 'two\nlines' }],
  ['/compacted', undefined],
  ['/Compact', undefined],
  ['please /compact', undefined],
  ['compact', undefined],
  ['/', undefined],
  ['', undefined],
])('%j is %j', (text, command) => {
  expect(interactiveCommand(text)).toEqual(command);
});
