import { expect, it } from 'vitest';
import type { AskUser } from '../../ports/ask-user.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { OpenQuestions } from './open-questions.ts';

const never: AskUser = { ask: () => new Promise(() => {}) };
const yes: Answer = { kind: 'allowed' };
const no: Answer = { kind: 'declined' };
const now = { isExpected: false };

function questionNamed(id: string): Question {
  const of = { callId: 'c', turnId: 't' as TurnId, tool: 'exec_command', item: {} };
  return { id, ...of, kind: 'network', scopes: ['call'] };
}

/** Opens a question, and says what was recorded of it. */
function open(questions: OpenQuestions, id: string): string[] {
  const recorded: string[] = [];
  questions.open(id, async (given) => {
    recorded.push(given?.kind ?? 'none');
    return { kind: 'answered', answer: { ...(given ?? { kind: 'lapsed' }), about: id } };
  });
  return recorded;
}

/** Asks in its turn, and says what came of it. */
async function ask(
  questions: OpenQuestions,
  id: string,
  { askUser = never, signal = new AbortController().signal } = {},
) {
  const asked = await questions.ask(askUser, questionNamed(id), signal, () => Promise.resolve());
  return asked.kind === 'answered' ? asked.answer.kind : asked.kind;
}

it('several questions of one call wait at once, and each takes its own answer', async () => {
  const questions = new OpenQuestions();
  for (const id of ['a', 'b']) open(questions, id);
  const [a, b] = [ask(questions, 'a'), ask(questions, 'b')];
  expect(await questions.answer('b', no, now)).toBe(true);
  expect(await b).toBe('declined');
  expect(questions.answer('b', yes, now)).toBe(undefined);
  expect(await questions.answer('a', yes, now)).toBe(true);
  expect(await a).toBe('allowed');
});

it('an answer is recorded before the turn of its question comes, and no one is asked then', async () => {
  const questions = new OpenQuestions();
  const recorded = open(questions, 'a');
  expect(questions.hasAnswer('a')).toBe(false);
  expect(await questions.answer('a', yes, now)).toBe(true);
  expect([questions.hasAnswer('a'), recorded]).toEqual([true, ['allowed']]);
  expect(await questions.answer('a', no, now)).toBe(false);
  const asker: AskUser = { ask: () => Promise.reject(new Error('no one else is asked')) };
  expect(await ask(questions, 'a', { askUser: asker })).toBe('allowed');
  expect(recorded).toEqual(['allowed']);
});

it('the second of two answers is refused, from the port and from a caller alike', async () => {
  const questions = new OpenQuestions();
  open(questions, 'a');
  const asked = ask(questions, 'a');
  const given = [questions.answer('a', yes, now), questions.answer('a', no, now)];
  expect([await asked, ...(await Promise.all(given))]).toEqual(['allowed', true, false]);
  const port = Promise.withResolvers<Answer>();
  open(questions, 'a');
  const again = ask(questions, 'a', { askUser: { ask: () => port.promise } });
  port.resolve(no);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await again).toBe('declined');
  expect(questions.answer('a', yes, now)).toBe(undefined);
});

it('an answer that comes after the turn was interrupted does not count', async () => {
  const questions = new OpenQuestions();
  const recorded = open(questions, 'a');
  const stop = new AbortController();
  const asked = ask(questions, 'a', { signal: stop.signal });
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await Promise.resolve();
  expect(await asked).toBe('lapsed');
  expect([questions.answer('a', yes, now), recorded]).toEqual([undefined, ['none']]);
});

it('a question that comes to its turn when the turn is over is put to no one', async () => {
  const questions = new OpenQuestions();
  for (const id of ['a', 'b']) open(questions, id);
  await questions.answer('b', yes, now);
  const signal = AbortSignal.abort();
  expect([await ask(questions, 'a', { signal }), await ask(questions, 'b', { signal })]).toEqual([
    'unheard',
    'allowed',
  ]);
});

it('an answer may come before the question is open, if it is expected, and ends with the turn', async () => {
  const questions = new OpenQuestions();
  expect(questions.answer('a', yes, now)).toBe(undefined);
  const early = questions.answer('a', yes, { isExpected: true });
  const second = questions.answer('a', no, { isExpected: true });
  expect(open(questions, 'a')).toEqual(['allowed']);
  expect([await early, await second, await ask(questions, 'a')]).toEqual([true, false, 'allowed']);
  const [lapsed, left] = ['b', 'c'].map((id) => questions.answer(id, yes, { isExpected: true }));
  questions.lapse('b');
  expect(questions.answer('b', yes, { isExpected: true })).toBe(undefined);
  questions.turnOver();
  expect([await lapsed, await left]).toEqual([false, false]);
});
