import { expect, test } from 'vitest';
import { render } from '../text/define.ts';
import { hookContextFragment, hookPromptFragment, hookWords } from './hook-words.ts';

const said = 'Use <Row> & "quotes"; &lt; stays.\nSecond line.';

test('what a hook said is read back exactly from both fragments', () => {
  expect(hookWords(render(hookPromptFragment, { runId: 'run "1"', prompt: said }).text)).toBe(said);
  expect(hookWords(render(hookContextFragment, { text: said }).text)).toBe(said);
});

test('other text is not from a hook', () => {
  expect(hookWords('<environment_context>\n</environment_context>')).toBeUndefined();
  expect(hookWords('words')).toBeUndefined();
});
