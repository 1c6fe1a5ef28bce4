import { expect, it } from 'vitest';
import { defaultScreenLook } from '../../screen/tui-screen.ts';
import { Composer } from '../../draft/composer.ts';
import { keyPress } from '../../screen/terminal/terminal-port.ts';
import type { Look } from '../../screen/text/look.ts';
import { StartupQuestionView, ListWithDraft } from './startup-question-views.ts';

const plain = defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' });
const look: Look = { ...plain, width: 80, now: 0, details: 'folded' };

function scene() {
  const picked: (number | 'back' | 'left')[] = [];
  const composer = new Composer();
  let now = 0;
  const view = new StartupQuestionView({
    title: 'Trust?',
    choices: [{ label: 'Yes' }, { label: 'No' }],
    pick: (index) => picked.push(index),
    back: () => picked.push('back'),
    leave: () => picked.push('left'),
  });
  const draft = {
    input: (input: Parameters<Composer['input']>[0]) => void composer.input(input),
    text: () => composer.draft.text,
  };
  const beside = new ListWithDraft(view, { draft, now: () => now, typingMs: 1000 });
  /** Names in brackets are keys, all else is typed, one key every 100 ms. */
  const type = (script: string): void => {
    for (const [, key, text = ''] of script.matchAll(/<([^>]+)>|([^<]+)/g)) {
      for (const sign of key === undefined ? text : [key]) {
        now += 100;
        beside.input(keyPress(sign === ' ' ? 'space' : sign));
      }
    }
  };
  const wait = (): void => void (now += 1000);
  const rows = (height = 10): string => beside.frame(look, height).rows.join('\n');
  return { picked, composer, beside, type, wait, rows };
}

it.each([
  ['the words of a message, with its numbers and its Enter', 'fix 2 bugs<enter><enter>', 'fix 2 bugs'],
  ['a word that begins with a letter of the list', 'just 1', 'just 1'],
  ['what is mended', 'fox<backspace><backspace>ix', 'fix'],
])('%s stands in the composer, and answers nothing', (_, script, text) => {
  const { picked, composer, type, wait } = scene();
  type(script);
  expect([picked, composer.draft.text]).toEqual([[], text]);
  wait();
  type('2');
  expect([picked, composer.draft.text]).toEqual([[1], text]);
});

it('a paste stands there, too', () => {
  const { picked, composer, beside, type } = scene();
  beside.input({ kind: 'paste', text: '1\n2\n' });
  type('<enter>');
  expect([picked, composer.draft.text]).toEqual([[], '1\n2\n']);
});

it('what may be a key that was pasted too soon is nowhere', () => {
  const { composer, beside, rows } = scene();
  beside.input({ kind: 'paste', text: `sk-proj-${'x'.repeat(20)}\n` });
  expect([composer.draft.text, rows()]).toEqual(['', expect.not.stringContaining('sk-')]);
});

it('keys of the list are answers where nothing is typed, and ways out always', () => {
  const { picked, composer, type } = scene();
  type('j<enter>k<enter>1');
  type('text<escape>text<ctrl+c>');
  expect(picked).toEqual([1, 0, 0, 'back', 'left']);
  expect(composer.draft.text).toBe('texttext');
});

it('says where the words went, if there is room', () => {
  const { type, rows } = scene();
  expect(rows()).not.toContain('composer');
  type('hello');
  expect(rows()).toMatch(/In the composer, for later: hello$/);
  expect(rows(2).split('\n')).toHaveLength(2);
});
