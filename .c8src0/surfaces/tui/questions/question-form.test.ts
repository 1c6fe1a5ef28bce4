import { expect, it } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import type { Look } from '../screen/text/look.ts';
import { FieldView, textFormField } from './form-fields.ts';
import { QuestionView } from './question-view.ts';
import { sampleQuestion } from '../../../../test/harness/sample-question.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 80,
  now: 0,
  details: 'folded',
};

function form(field: JsonObject): Question {
  const schema = { type: 'object', properties: { it: field }, required: ['it'] };
  return sampleQuestion({ kind: 'elicitation', elicitation: { server: 's', message: 'Which?', schema } });
}

function shown(question: Question) {
  const answers: Answer[] = [];
  const view = new QuestionView({
    question,
    item: undefined,
    waiting: () => 0,
    answer: (answer) => void answers.push(answer),
    showWhole: () => undefined,
  });
  const text = (): string => view.frame(look, 40).rows.join('\n');
  const press = (...names: readonly string[]) => names.forEach((name) => view.input({ kind: 'key', name, text: '' }));
  return { answers, text, press };
}

it('offers no note with an answer to a server: neither the server nor the model would read it', () => {
  const { answers, text, press } = shown(form({ type: 'boolean' }));
  expect(text()).not.toContain('adds a note');
  press('tab');
  expect(text()).not.toContain('What should the model know?');
  press('enter');
  expect(answers).toEqual([{ kind: 'allowed', content: { it: true } }]);
  const bare = shown(sampleQuestion({ kind: 'elicitation', elicitation: { server: 's', message: 'Go on?' } }));
  expect(bare.text()).not.toContain('tell the model why');
});

it('says how to choose where none of what a server offers is chosen', () => {
  const { answers, text, press } = shown(form({ type: 'string', enum: ['red', 'blue'] }));
  press('enter');
  expect(text()).toContain('Choose with Up and Down or a number');
  press('down');
  expect(text()).not.toContain('Choose with');
  press('enter');
  expect(answers).toEqual([{ kind: 'allowed', content: { it: 'red' } }]);
});

it('a field that was read in one width is read anew in another; above and below stands that nothing is sent', () => {
  const question = form({ type: 'string', description: 'word '.repeat(300) });
  const answers: Answer[] = [];
  const shownRows: (readonly string[])[] = [];
  const view = new FieldView(textFormField(question)!, {
    question,
    answer: (answer) => void answers.push(answer),
    showWhole(rows, seenEnd) {
      shownRows.push(rows({ ...look, width: 70 }));
      seenEnd({ ...look, width: 70 });
    },
  });
  const enterAt = (width: number): void => {
    view.frame({ ...look, width }, 8);
    view.input({ kind: 'key', name: 'enter', text: '' });
  };
  view.input({ kind: 'key', name: 'x', text: 'x' });
  enterAt(80);
  expect(shownRows[0]?.join('\n').split('Nothing is sent yet')).toHaveLength(3);
  enterAt(80);
  expect([shownRows.length, answers]).toEqual([2, []]);
  enterAt(70);
  expect(answers).toEqual([{ kind: 'allowed', content: { it: 'x' } }]);
});
