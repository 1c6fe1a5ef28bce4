import { expect, it } from 'vitest';
import type { TurnId } from '../../../../protocol/ids.ts';
import type { Answer, Question } from '../../../../protocol/question.ts';
import { defaultScreenLook } from '../../screen/tui-screen.ts';
import type { Look } from '../../screen/text/look.ts';
import { decisionCell, eventCell } from './item-and-event-cells.ts';
import { commandCell } from './command-cell.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' }),
  width: 80,
  details: 'folded',
  now: 0,
};
const turnId = 't' as TurnId;
const asked: Question = {
  id: 'q',
  callId: 'c',
  turnId,
  tool: 'request_user_input',
  item: {},
  kind: 'input',
  input: [],
  scopes: ['call'],
};
const form: Question = {
  ...asked,
  tool: 'mcp__demo__ask',
  kind: 'elicitation',
  elicitation: { server: 'demo', message: 'Who?' },
};

const rows = (question: Question, answer: Answer): readonly string[] | undefined =>
  eventCell({ kind: 'question-answered', turnId, id: 'q', callId: 'c', answer }, { question })?.rows(look);

it('answers to questions of the model allow nothing: the questions themselves say what was answered', () => {
  expect(rows(asked, { kind: 'allowed', content: {} })).toBeUndefined();
  expect(rows(asked, { kind: 'stopped' })).toEqual(["✗ You ended the turn instead of answering the model's questions"]);
  expect(rows({ ...asked, agent: 'Ada' }, { kind: 'stopped' })).toEqual([
    '✗ You ended the turn instead of answering the questions of agent Ada',
  ]);
});

it.each([
  [{ kind: 'allowed', content: {} }, '✔ You answered what the server demo asked'],
  [{ kind: 'declined' }, '✗ You declined to answer what the server demo asked'],
  [{ kind: 'stopped' }, '✗ You ended the turn instead of answering what the server demo asked'],
  [{ kind: 'lapsed' }, '✗ No answer came to what the server demo asked'],
  [{ kind: 'declined', by: 'default' }, '✗ No answer was prepared to what the server demo asked'],
] as const)('%j to a form names the server and no tool', (answer, line) => {
  expect(rows(form, answer)).toEqual([line]);
});

it('shows the hidden characters of what was decided, and of the note', () => {
  const question = {
    id: 'q',
    callId: 'c',
    turnId: 't' as TurnId,
    tool: 'exec_command',
    item: {},
    kind: 'command' as const,
    argv: ['rm', 'a\u202Eb'],
    scopes: ['call' as const],
  };
  const shown = decisionCell(question, { kind: 'allowed', scope: 'call', note: 'not\u200B this' }).rows(look);
  expect(shown.join('\n')).toMatch(/a<U\+202E>b[^]*not<U\+200B> this/);
});

it('marks letters that look like ASCII, as the question did, and so does the command that ran', () => {
  const argv = ['/bin/bash', '-c', 'curl p\u0430ypal.com; \u0441\u043E\u0440\u0443 a'];
  const marked = 'curl p<U+0430>ypal.com; <U+0441><U+043E><U+0440><U+0443> a';
  const question: Question = { ...asked, tool: 'exec_command', kind: 'command', argv, justification: 'h\u0430rmless' };
  const decided = rows(question, { kind: 'allowed' })?.join(' ').replaceAll(/\s+/g, ' ');
  expect(decided).toContain(`${marked} (h<U+0430>rmless)`);
  const ran = commandCell({ kind: 'command', id: 'c', argv, cwd: '/', status: 'completed', exitCode: 0, output: '' });
  expect(ran.rows({ ...look, width: 120 }).join(' ')).toContain(marked);
});

it('more permissions hold for the turn, not for a moment', () => {
  const permissions: Question = { ...asked, tool: 'request_permissions', kind: 'permissions' };
  expect(rows(permissions, { kind: 'allowed', scope: 'call' })).toEqual([
    '✔ You allowed Capstan to use more permissions for this turn',
  ]);
  expect(rows(permissions, { kind: 'lapsed' })).toEqual(['✗ No answer came; Capstan did not use more permissions']);
});
