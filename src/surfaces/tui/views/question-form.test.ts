import { expect, it } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { plainLook } from '../app/plain-look.ts';
import type { Look } from '../text/look.ts';
import { QuestionView } from './question-view.ts';
import { sampleQuestion } from './sample-question.ts';

const look: Look = {
  ...plainLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
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

it('offers no note with an answer to a server, which nobody would read', () => {
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
