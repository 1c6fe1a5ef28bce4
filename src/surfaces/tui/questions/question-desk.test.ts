import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import type { Look } from '../screen/text/look.ts';
import { QuestionDesk } from './question-desk.ts';
import { typingPauseTimes, TypingPause } from './typing-pause.ts';
import type { View } from '../screen/view.ts';
import { sampleInput, sampleQuestion } from '../../../../test/harness/sample-question.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const question = (id: string, more: Partial<Question> = {}): Question =>
  sampleQuestion({ id, callId: `call-${id}`, argv: ['sh', '-c', `echo ${id}`], ...more });

const key = (name: string): TerminalInput =>
  ({ kind: 'key', name, text: name.length === 1 ? name : '' }) as TerminalInput;

const places = { cwd: '/w', home: '/h' };
const look: Look = { ...defaultScreenLook({ NO_COLOR: '1' }, places), width: 80, details: 'folded', now: 0 };

/** As a terminal: what is open is drawn, and keys go to it after they were counted. */
function desk(times = { ...typingPauseTimes, drawn: 0, next: 0 }) {
  const answers: [string, Answer][] = [];
  const shown: { view: View | undefined; hasWhole: boolean } = { view: undefined, hasWhole: false };
  /** The end of all that is asked comes into sight. */
  let seen = (): void => {};
  const problems: string[] = [];
  const pause = new TypingPause(() => Date.now(), times);
  const made = new QuestionDesk({
    open(view) {
      shown.view = view;
      view?.frame(look, 24);
    },
    showWhole(_rows, seenEnd) {
      shown.hasWhole = true;
      seen = () => seenEnd?.(look);
    },
    closeWhole: () => void (shown.hasWhole = false),
    answer: (id, answer) => void answers.push([id, answer]),
    run: (work) => void work.catch((error: unknown) => problems.push(String(error))),
    pause,
  });
  const press = (...names: readonly string[]): void => {
    for (const name of names) {
      pause.typed();
      shown.view?.input(key(name));
    }
  };
  const passes = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
  return { desk: made, answers, problems, shown, pause, press, passes, reads: () => seen() };
}

it('all of a question goes from the screen when it was answered elsewhere', async () => {
  const { desk: made, shown, press, passes } = desk();
  made.asked(question('a'), undefined);
  await passes(0);
  press('ctrl+a');
  expect(shown.hasWhole).toBe(true);
  made.answered('b');
  expect(shown.hasWhole).toBe(true);
  made.answered('a');
  expect(shown).toEqual({ view: undefined, hasWhole: false });
});

it('a question that cannot be shown is reported and ends nothing', async () => {
  const { desk: made, problems, passes } = desk();
  // As a server with a form of another kind than it says would send it.
  made.asked(question('a', { scopes: undefined as never }), undefined);
  await passes(0);
  expect(problems).toHaveLength(1);
});

it('waits for exactly one second of silence, and more typing moves it', async () => {
  const { desk: made, shown, pause } = desk();
  pause.typed();
  made.asked(question('a'), undefined);
  await vi.advanceTimersByTimeAsync(600);
  pause.typed();
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

it('asks once what it is asked twice, while it is open and while it waits', async () => {
  const { desk: made, answers, press, passes } = desk();
  for (const id of ['a', 'b', 'a', 'b']) made.asked(question(id), undefined);
  for (let at = 0; at < 4; at++) {
    await passes(0);
    press('y');
  }
  await passes(0);
  expect([answers.map(([id]) => id), made.isAsking]).toEqual([['a', 'b'], false]);
});

it('sends no answer of a form that was answered elsewhere between two fields, and asks what waits', async () => {
  const { desk: made, answers, press, passes, shown } = desk();
  const schema = { type: 'object', properties: { one: { type: 'boolean' }, two: { type: 'boolean' } } };
  made.asked(question('a', { kind: 'elicitation', elicitation: { server: 's', message: 'Who?', schema } }), undefined);
  made.asked(question('b'), undefined);
  await passes(0);
  press('y');
  made.answered('a');
  await passes(0);
  expect(answers).toEqual([]);
  expect(shown.view!.frame(look, 24).rows.join('\n')).toContain('echo b');
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
  // No key map comes between.
  expect(shown.view?.keys).toBe('raw');
  shown.view?.input(key('escape'));
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toEqual([['a', { kind: 'stopped' }]]);
});

describe('a field of a form that takes text', () => {
  const asked = (field: JsonObject, required: readonly string[] = ['f']) => {
    const { desk: made, shown, answers, press, passes, reads } = desk();
    const schema = { type: 'object', required, properties: { f: field } };
    made.asked(
      question('a', { kind: 'elicitation', elicitation: { server: 's', message: 'Who?', schema } }),
      undefined,
    );
    const rows = (height = 24): readonly string[] => shown.view!.frame(look, height).rows;
    return { shown, answers, press, passes, rows, reads };
  };

  it.each([
    ['sox@x.de', { type: 'string' }, 'sox@x.de'],
    ['177', { type: 'integer' }, 177],
  ])('takes every letter and digit of %s, at once', async (typed, field, value) => {
    const { answers, press, passes, rows, shown } = asked(field);
    await passes(0);
    press(...typed);
    expect(rows()).toContain(`  > ${typed}`);
    expect(shown.view!.frame(look, 24).cursor).toMatchObject({ column: 4 + typed.length });
    press('enter');
    await passes(0);
    expect(answers).toEqual([['a', { kind: 'allowed', content: { f: value } }]]);
  });

  it('says its other answers and their keys, which are no letters', async () => {
    const { answers, press, passes, rows } = asked({ type: 'string', default: 'me' }, []);
    await passes(0);
    expect(rows().slice(-6)).toEqual([
      '  > ',
      '  the default: "me"',
      '  leave it out',
      '  decline: the server gets no answer',
      '  cancel, and stop the turn',
      '  Enter sends it, Up and Down choose another answer, Esc stops the turn',
    ]);
    press('down', 'down', 'down');
    expect(rows()).toContain('› decline: the server gets no answer');
    // Typing goes to the field.
    press('x', 'enter');
    await passes(0);
    expect(answers).toEqual([['a', { kind: 'allowed', content: { f: 'x' } }]]);
  });

  it.each([
    [['s', 'up', 'up', 'enter'], { kind: 'declined' }],
    [['s', 'escape'], { kind: 'stopped' }],
    [['ctrl+c'], { kind: 'stopped' }],
  ])('%j sends nothing that was typed', async (keys, answer) => {
    const { answers, press, passes } = asked({ type: 'string' });
    await passes(0);
    press(...keys);
    await passes(0);
    expect(answers).toEqual([['a', answer]]);
  });

  it('says what is wrong with an answer, and sends no empty one', async () => {
    const { answers, press, passes, rows } = asked({ type: 'string', minLength: 3 });
    await passes(0);
    press('enter');
    expect(rows().join('\n')).toContain('Nothing is typed yet.');
    press('a', 'enter');
    await passes(0);
    expect(rows().join('\n')).toMatch(/at least 3/);
    expect(answers).toEqual([]);
  });

  it('is sent only after a window without room has shown all of what is asked', async () => {
    const { answers, press, passes, rows, reads } = asked({ type: 'string', description: 'long '.repeat(200) });
    await passes(0);
    expect(rows(4).length).toBeLessThanOrEqual(4);
    press('a', 'enter', 'enter');
    await passes(0);
    expect(answers).toEqual([]);
    reads();
    press('enter');
    await passes(0);
    expect(answers).toHaveLength(1);
  });
});

describe('no key that was pressed before a question was in sight answers it', () => {
  it('one in the moment after it was drawn, which also begins the pause again', async () => {
    const { desk: made, answers, press, passes, shown } = desk(typingPauseTimes);
    made.asked(question('a'), undefined);
    await passes(390);
    press('y', 'enter', '1', 'escape');
    await passes(390);
    press('y');
    expect(answers).toEqual([]);
    expect(shown.view?.frame(look, 24).rows.at(-1)).toContain('Press it again.');
    await passes(500);
    press('y');
    await passes(0);
    expect(answers).toEqual([['a', { kind: 'allowed', scope: 'call' }]]);
  });

  it('a key that is pressed twice, or held, says nothing to the next question', async () => {
    const { desk: made, answers, press, passes } = desk(typingPauseTimes);
    for (const id of ['a', 'b']) made.asked(question(id), undefined);
    await passes(500);
    press('y');
    await passes(30);
    press('y');
    await passes(660);
    for (let at = 0; at < 100; at++) {
      press('y');
      await passes(30);
    }
    expect(answers).toHaveLength(1);
    await passes(1000);
    press('y');
    await passes(0);
    expect(answers).toHaveLength(2);
  });

  it('each question of the model by itself, and the last one that asks whether to send', async () => {
    const { desk: made, answers, press, passes, shown } = desk(typingPauseTimes);
    const input = ['Colour', 'Size', 'Weight'].map((header) => sampleInput(header));
    made.asked(question('a', { kind: 'input', input }), undefined);
    const draw = (): string => shown.view!.frame(look, 24).rows.join('\n');
    await passes(500);
    for (let at = 0; at < 3; at++) {
      press('1');
      draw();
      await passes(30);
    }
    expect(answers).toEqual([]);
    expect(draw()).toContain('(2 of 3)');
    await passes(1000);
    // To look at another question answers nothing.
    press('right', 'left');
    draw();
    await passes(500);
    press('1');
    expect(draw()).toContain('(3 of 3)');
    press('1');
    await passes(1000);
    press('1');
    await passes(0);
    expect(answers).toHaveLength(1);
  });

  it('what was typed for another program, while this one was stopped or out of sight', async () => {
    const { desk: made, answers, press, passes, pause, shown } = desk(typingPauseTimes);
    made.asked(question('a'), undefined);
    await passes(5000);
    pause.restart();
    press('w', 'h', 'y');
    shown.view?.frame(look, 24);
    await passes(390);
    press('y');
    expect(answers).toEqual([]);
    await passes(500);
    press('y');
    await passes(0);
    expect(answers).toHaveLength(1);
  });

  it('nothing answers what was not drawn yet, and Ctrl+C always stops', async () => {
    const { answers, press, passes, pause, shown } = desk(typingPauseTimes);
    const view = pause.guard({
      frame: () => ({ rows: [] }),
      input: () => void answers.push(['x', { kind: 'stopped' }]),
    });
    shown.view = view;
    await passes(5000);
    press('y');
    expect(answers).toEqual([]);
    press('ctrl+c');
    expect(answers).toHaveLength(1);
  });
});

it('names the key of each answer, however narrow the screen is', () => {
  const { desk: made, shown } = desk();
  made.asked(question('a', { scopes: ['call', 'session', 'rule'], prefix: ['echo'] }), undefined);
  const rows = shown.view!.frame({ ...look, width: 40 }, 24).rows.join('\n');
  expect(rows).toMatch(/4\. yes, and save the rule: such\n {5}commands then run outside the\n {5}sandbox \(p\)/);
});

it('an option of a server never looks like an answer of Capstan, and none is chosen before the user chooses', async () => {
  const { desk: made, shown, answers } = desk();
  const schema = {
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string', enum: ['all', 'b'], enumNames: ['decline: the server gets no answer', 'b'], default: 'all' },
    },
  };
  made.asked(question('a', { kind: 'elicitation', elicitation: { server: 's', message: 'Who?', schema } }), undefined);
  await vi.advanceTimersByTimeAsync(0);
  const rows = shown.view!.frame(look, 24).rows;
  expect(rows.slice(rows.findIndex((row) => row.includes('1. ')))).toEqual([
    '  1. "decline: the server gets no answer", which sends "all" (1)',
    '  2. "b" (2)',
    '  Answers of Capstan:',
    '  3. the default: "all" (d)',
    '  4. decline: the server gets no answer (x)',
    '  5. cancel, and stop the turn (s)',
    '  Up and down choose, Enter confirms, Esc stops the turn',
  ]);
  for (const name of ['enter', 'tab', 'enter']) shown.view?.input(key(name));
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toEqual([]);
  for (const name of ['down', 'down', 'enter']) shown.view?.input(key(name));
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toEqual([['a', { kind: 'allowed', content: { a: 'b' } }]]);
});
