import { expect, test } from 'vitest';
import { render } from '../text/define-fragment.ts';
import { hookContextFragment, hookPromptFragment, readHookText } from './hooks-skills-and-plugins.ts';

const said = 'Use <Row> & "quotes"; &lt; stays.\nSecond line.';

test('what a hook said is read back exactly from both fragments', () => {
  expect(readHookText(render(hookPromptFragment, { runId: 'run "1"', prompt: said }).text)).toBe(said);
  expect(readHookText(render(hookContextFragment, { text: said }).text)).toBe(said);
});

test('other text is not from a hook', () => {
  expect(readHookText('<environment_context>\n</environment_context>')).toBeUndefined();
  expect(readHookText('words')).toBeUndefined();
});
