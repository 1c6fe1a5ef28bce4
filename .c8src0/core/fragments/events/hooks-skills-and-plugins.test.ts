import { expect, test } from 'vitest';
import { renderFragment } from '../text/define-fragment.ts';
import { hookContextFragment, hookPromptFragment, parseHookText } from './hooks-skills-and-plugins.ts';

const said = 'Use <Row> & "quotes"; &lt; stays.\nSecond line.';

test('what a hook said is read back exactly from both fragments', () => {
  expect(parseHookText(renderFragment(hookPromptFragment, { runId: 'run "1"', prompt: said }).text)).toBe(said);
  expect(parseHookText(renderFragment(hookContextFragment, { text: said }).text)).toBe(said);
});

test('other text is not from a hook', () => {
  expect(parseHookText('<environment_context>\n</environment_context>')).toBeUndefined();
  expect(parseHookText('words')).toBeUndefined();
});
