import { expect, it } from 'vitest';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { keyPress } from '../screen/terminal/terminal-port.ts';
import type { Look } from '../screen/text/look.ts';
import type { Answer } from '../../../protocol/question.ts';
import { ModelQuestionsView } from './model-questions-view.ts';
import { sampleInput } from '../../../../test/harness/sample-question.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 60,
  now: 0,
  details: 'folded',
};
const long = 'Many words about it. '.repeat(100);

function view(description: string, question = 'Delete everything?') {
  let whole: readonly string[] = [];
  const options = [
    { label: 'Yes, delete', description },
    { label: 'No', description: 'Keep it.' },
  ];
  const shown = new ModelQuestionsView({
    questions: [{ ...sampleInput('Files'), question, options }],
    answer: () => {},
    showWhole: (rows) => void (whole = rows({ ...look, details: 'whole' })),
  });
  return { shown, whole: () => whole.join('\n'), rows: (height: number) => shown.frame(look, height).rows };
}

it('a long text about an option gives way to the question and the other options, with a word about it', () => {
  const { shown, rows, whole } = view(long);
  const drawn = rows(12);
  expect(drawn.length).toBeLessThanOrEqual(12);
  for (const words of [
    '> Files: Delete everything?',
    '1. Yes, delete  Many words',
    '2. No  Keep it.',
    '3. None of these',
  ])
    expect(drawn.join('\n')).toContain(words);
  expect(drawn.join('\n')).toContain('… Not all of this fits: Ctrl+A shows all');
  shown.input(keyPress('a', { ctrl: true }));
  expect(whole().match(/about/g)).toHaveLength(100);
  expect(whole()).toContain('2. No  Keep it.');
});

it('so does a long question, and every option stays in sight', () => {
  const drawn = view('Gone for good.', long).rows(12);
  expect(drawn).toHaveLength(12);
  expect(drawn.join('\n')).toMatch(/> Files: Many[^]*Ctrl\+A shows all\n› 1\. Yes, delete {2}Gone for good\.\n/);
});

it('the word about it stays at every height', () => {
  const { rows } = view(long);
  for (let height = 2; height < 30; height++) {
    expect(rows(height).length).toBeLessThanOrEqual(height);
    expect(rows(height).join('\n')).toContain('Not all of this fits');
  }
});

it('a question that fits is whole', () => {
  expect(view('Gone for good.').rows(12).join('\n')).not.toContain('fits');
});

it('Backspace takes a choice back, and what has no answer then is asked about before the others are sent', () => {
  const answers: Answer[] = [];
  const shown = new ModelQuestionsView({
    questions: [sampleInput('Colour'), sampleInput('Size')],
    answer: (answer) => void answers.push(answer),
    showWhole: () => {},
  });
  const drawn = (): string => shown.frame(look, 24).rows.join('\n');
  for (const name of ['1', 'left', 'backspace', 'right', '2']) shown.input(keyPress(name));
  expect(drawn()).toContain('1 question without an answer.');
  shown.input(keyPress('escape'));
  expect(drawn()).toContain('Which colour?');
  shown.input(keyPress('2'));
  shown.input(keyPress('1'));
  expect(answers).toEqual([{ kind: 'allowed', content: { colour: ['Second Colour'], size: ['First Size'] } }]);
});
