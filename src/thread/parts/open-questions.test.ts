import { expect, it } from 'vitest';
import type { AskUser } from '../../ports/ask-user.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { OpenQuestions } from './open-questions.ts';

const never: AskUser = { ask: () => new Promise(() => {}) };
const [yes, no]: readonly Answer[] = [{ kind: 'allowed' }, { kind: 'declined' }];
const now = { isExpected: false };

function questionNamed(id: string): Question {
  const of = { callId: 'c', turnId: 't' as TurnId, tool: 'exec_command', item: {} };
  return { id, ...of, kind: 'network', scopes: ['call'] };
}

/** Asks, and says what was recorded. */
function ask(questions: OpenQuestions, id: string, { askUser = never, signal = new AbortController().signal } = {}) {
  return questions.ask(askUser, questionNamed(id), signal, {
    tell: () => Promise.resolve(),
    record: (answer) => Promise.resolve(answer?.kind),
  });
}

it('several questions of one call wait at once, and each takes its own answer', async () => {
  const questions = new OpenQuestions();
  const [a, b] = [ask(questions, 'a'), ask(questions, 'b')];
  expect(await questions.answer('b', no!, now)).toBe(true);
  expect(await b).toBe('declined');
  expect(questions.answer('b', yes!, now)).toBe(undefined);
  expect(await questions.answer('a', yes!, now)).toBe(true);
  expect(await a).toBe('allowed');
});

it('the second of two answers is refused, from the port and from a caller alike', async () => {
  const questions = new OpenQuestions();
  const asked = ask(questions, 'a');
  const given = [questions.answer('a', yes!, now), questions.answer('a', no!, now)];
  expect([await asked, ...(await Promise.all(given))]).toEqual(['allowed', true, false]);
  const port = Promise.withResolvers<Answer>();
  const again = ask(questions, 'a', { askUser: { ask: () => port.promise } });
  port.resolve(no!);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await again).toBe('declined');
  expect(questions.answer('a', yes!, now)).toBe(undefined);
});

it('an answer that is lost with its turn is not taken for recorded', async () => {
  const questions = new OpenQuestions();
  const stop = new AbortController();
  const asked = ask(questions, 'a', { signal: stop.signal });
  stop.abort();
  const late = questions.answer('a', yes!, now);
  expect([await asked, await late]).toEqual([undefined, false]);
});

it('an answer may come before the question, if it is expected, and ends with the turn', async () => {
  const questions = new OpenQuestions();
  expect(questions.answer('a', yes!, now)).toBe(undefined);
  const early = questions.answer('a', yes!, { isExpected: true });
  const asker: AskUser = { ask: () => Promise.reject(new Error('no one else is asked')) };
  expect([await ask(questions, 'a', { askUser: asker }), await early]).toEqual(['allowed', true]);
  const [lapsed, left] = ['b', 'c'].map((id) => questions.answer(id, yes!, { isExpected: true }));
  questions.lapse('b');
  questions.turnOver();
  expect([await lapsed, await left]).toEqual([false, false]);
});
