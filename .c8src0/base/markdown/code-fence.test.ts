import { expect, test } from 'vitest';
import { closesCodeFence, readFence } from './code-fence.ts';

test.each([
  ['```', { marks: '```', indent: 0, language: '' }],
  ['   ~~~~ TypeScript {1,3}', { marks: '~~~~', indent: 3, language: 'TypeScript' }],
  ['~~~ a`b', { marks: '~~~', indent: 0, language: 'a`b' }],
  ['```sh,no-run', { marks: '```', indent: 0, language: 'sh' }],
  ['``` js\r', { marks: '```', indent: 0, language: 'js' }],
  ['    ```', undefined],
  ['``` a`b', undefined],
  ['``', undefined],
])('%j begins code with %j', (line, fence) => {
  expect(readFence(line)).toEqual(fence);
});

test.each([
  ['```', '```', true],
  ['```', '   `````  ', true],
  ['````', '```', false],
  ['```', '~~~', false],
  ['```', '``` sh', false],
  ['```', '    ```', false],
])('%s is ended by %j: %s', (marks, line, isEnd) => {
  expect(closesCodeFence({ marks }, line)).toBe(isEnd);
});
