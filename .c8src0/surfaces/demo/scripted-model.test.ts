import { expect, test } from 'vitest';
import { say } from '../../testing/index.ts';
import { countedUsage } from './scripted-model.ts';

const said = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const request = (words: readonly string[], instructions = 'Be brief and careful. '.repeat(400)) => ({
  body: { instructions, tools: [{ type: 'function', name: 'run' }], input: words.map(said) },
});

test('requests weigh what they hold, and the beginning that was sent before comes from the cache', () => {
  const [first, second] = [request(['one']), request(['one', 'two words more'])];
  const counted = countedUsage(first, undefined, [say('Yes.')]);
  expect(counted).toMatchObject({ cachedInput: 0, reasoningOutput: 0 });
  expect(counted.input).toBeGreaterThan(1500);
  expect(counted.output).toBeGreaterThan(1);
  const again = countedUsage(second, first, []);
  expect(again.input).toBeGreaterThan(counted.input!);
  expect(again.cachedInput! % 128).toBe(0);
  expect(again.cachedInput).toBeGreaterThan(counted.input! - 128);
  expect(again.cachedInput).toBeLessThanOrEqual(counted.input!);
});

test('other instructions, or too short a beginning, are not cached', () => {
  expect(countedUsage(request(['one'], 'Be slow.'), request(['one']), []).cachedInput).toBe(0);
  expect(countedUsage(request(['one'], 'Short.'), request(['one'], 'Short.'), []).cachedInput).toBe(0);
});
