import { expect, it } from 'vitest';
import type { Item } from '../../../protocol/item.ts';
import { notesWithoutModel } from './history-parts.ts';

function says(role: string, text: string): Item {
  return { type: 'message', role, content: [{ type: 'input_text', text }] };
}
const patch = (input: string): Item => ({ type: 'custom_tool_call', name: 'apply_patch', call_id: 'c', input });
const isUsers = (item: Item): boolean => item['role'] === 'user' && !JSON.stringify(item).includes('<env>');
const isPrograms = (item: Item): boolean => JSON.stringify(item).includes('Build');

it('says how messages begin and which files patches name', () => {
  const items = [
    says('user', '<env>here</env>'),
    says('developer', 'Rules.'),
    says('user', `Fix\n  the ${'parser '.repeat(40)}`),
    patch('*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** Add File: b c.ts\n*** End Patch'),
    patch('*** Delete File: src/a.ts'),
    says('assistant', 'Done.'),
    says('assistant', ' '),
    says('assistant', 'Build is green.'),
  ];
  expect(notesWithoutModel(items, { isUsers, isPrograms })).toBe(
    [
      'Notes made without a model, from how messages begin:',
      `- User: Fix the ${'parser '.repeat(40).slice(0, 192)}…`,
      '- Assistant: Done.',
      '- Program: Build is green.',
      'Files in patches:',
      '- src/a.ts',
      '- b c.ts',
    ].join('\n'),
  );
});

it('names the newest where there are many', () => {
  const items = Array.from({ length: 25 }, (_, n) => says('user', `Do ${n}.`));
  const lines = notesWithoutModel(items, { isUsers, isPrograms }).split('\n');
  expect([lines.length, lines[1], lines[2], lines.at(-1)]).toEqual([
    22,
    '- (5 older ones are not shown)',
    '- User: Do 5.',
    '- User: Do 24.',
  ]);
});
