import { defined } from '../../../protocol/defined.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { UserQuestion } from '../../../protocol/user-question.ts';
import type { Choice } from './choices.ts';
import { fillForm } from './form-choices.ts';

/** The answers to one question of the model, each by a key: the number of an option, or a letter. */
export function inputChoices({ id, options }: UserQuestion): readonly Choice[] {
  const offered = options.slice(0, 9).map(({ label }, at): Choice => {
    return { key: String(at + 1), words: label, answer: { kind: 'allowed', content: { [id]: label } } };
  });
  return [
    ...offered,
    { key: 'o', words: 'another answer, in your words', answer: { kind: 'allowed' }, takesNote: true },
    { key: 'n', words: 'no answer', answer: { kind: 'declined' } },
    { key: 's', words: 'no answer, and stop the turn', answer: { kind: 'stopped' } },
  ];
}

/** A person at a terminal answers one question after another. The first no is about all of them. */
export async function askEach(question: Question, ask: (single: Question) => Promise<Answer>): Promise<Answer> {
  if (question.input === undefined) return fillForm(question, ask);
  const given: [string, string][] = [];
  for (const one of question.input) {
    const { kind, content, note, ...rest } = await ask({ ...question, input: [one] });
    if (kind !== 'allowed') return { kind, ...defined({ note }), ...rest };
    given.push([one.id, content === undefined ? (note ?? '') : String(content[one.id] ?? '')]);
  }
  return { kind: 'allowed', content: Object.fromEntries(given) };
}
