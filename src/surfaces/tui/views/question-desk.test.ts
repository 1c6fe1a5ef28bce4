import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { Look } from '../text/look.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { QuestionDesk } from './question-desk.ts';
import type { View } from './view.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const question = (id: string, more: Partial<Question> = {}): Question => ({
  id,
  callId: `call-${id}`,
  turnId: 't' as TurnId,
  tool: 'exec_command',
  item: {},
  kind: 'command',
  argv: ['sh', '-c', `echo ${id}`],
  scopes: ['call'],
  ...more,
});

const key = (name: string): TerminalInput =>
  ({ kind: 'key', name, text: name.length === 1 ? name : '' }) as TerminalInput;

function desk() {
  const answers: [string, Answer][] = [];
  const shown: { view: View | undefined } = { view: undefined };
  const made = new QuestionDesk({
    open: (view) => void (shown.view = view),
    showWhole: () => {},
    answer: (id, answer) => void answers.push([id, answer]),
    now: () => Date.now(),
  });
  return { desk: made, answers, shown };
}

it('waits for exactly one second of silence, and more typing moves it', async () => {
  const { desk: made, shown } = desk();
  made.typed();
  made.asked(question('a'), undefined);
  await vi.advanceTimersByTimeAsync(600);
  made.typed();
  await vi.advanceTimersByTimeAsync(999);
  expect(shown.view).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(shown.view).toBeDefined();
});

it('asks one after the other; what is answered elsewhere vanishes from view and queue', async () => {
  const { desk: made, shown, answers } = desk();
  for (const id of ['a', 'b', 'c', 'd']) made.asked(question(id), undefined);
  await vi.advanceTimersByTimeAsync(0);
  made.answered('b');
  const first = shown.view;
  made.answered('a');
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.view).not.toBe(first);
  shown.view?.input(key('y'));
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toEqual([['c', { kind: 'allowed', scope: 'call' }]]);
  shown.view?.input(key('n'));
  await vi.advanceTimersByTimeAsync(0);
  expect(answers.at(-1)).toEqual(['d', { kind: 'declined' }]);
  expect(shown.view).toBeUndefined();
});

it('offers no more than the question does', async () => {
  const { desk: made, shown, answers } = desk();
  made.asked(question('a'), undefined);
  await vi.advanceTimersByTimeAsync(0);
  for (const name of ['a', 'p', '9', 'left']) shown.view?.input(key(name));
  expect(answers).toEqual([]);
});

it('Esc in an elicitation cancels it', async () => {
  const { desk: made, shown, answers } = desk();
  const schema = { type: 'object', properties: { name: { type: 'string' }, more: { type: 'string' } } };
  made.asked(question('a', { kind: 'elicitation', elicitation: { server: 's', message: 'Who?', schema } }), undefined);
  await vi.advanceTimersByTimeAsync(0);
  shown.view?.input(key('escape'));
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toEqual([['a', { kind: 'stopped' }]]);
});

it('names the key of each answer, however narrow the screen is', () => {
  const { desk: made, shown } = desk();
  made.asked(question('a', { scopes: ['call', 'session', 'rule'], prefix: ['echo'] }), undefined);
  const look: Look = {
    width: 40,
    colours: 'none',
    palette: 'dark',
    glyphs: 'unicode',
    details: 'folded',
    now: 0,
    cwd: '/',
    home: '/home',
  };
  const rows = shown.view!.frame(look, 24).rows.join('\n');
  expect(rows).toMatch(/4\. yes, and save the rule: such\n {5}commands then run outside the\n {5}sandbox \(p\)/);
});
