import { expect, it } from 'vitest';
import type { Answer } from '../../../protocol/question.ts';
import type { CallQuestion, RecordedCall } from '../../../core/state/recorded/conversation-items.ts';
import { questionAndAnswerLines } from './asked-words.ts';

const call: RecordedCall = { kind: 'call', name: 'exec_command', form: 'command', input: 'ls' };
const host = { name: 'x.test', port: 443, protocol: 'https' } as const;

it.each<[CallQuestion['kind'], Answer | undefined, string]>([
  [
    'command',
    { kind: 'allowed', scope: 'session', note: 'Only in api/.' },
    'it may run: yes, for the session (Only in api/.)',
  ],
  ['command', { kind: 'allowed', scope: 'rule' }, 'it may run: yes, and saved as a rule'],
  ['patch', { kind: 'declined', note: 'No.' }, 'these files may be changed: no (No.)'],
  ['permissions', { kind: 'declined', by: 'default' }, 'later commands may do more: no, since no answer was prepared'],
  ['retry', { kind: 'stopped' }, 'it may run again: no, and the turn ended'],
  ['retry', undefined, 'it may run again: no answer'],
])('a question of kind %s, answered with %j', (kind, answer, words) => {
  expect(questionAndAnswerLines({ ...call, asked: [{ kind, ...(answer === undefined ? {} : { answer }) }] })).toEqual([
    `asked whether ${words}`,
  ]);
});

it('names the host, and where a call ran that left the sandbox', () => {
  const asked = [{ kind: 'network', host, answer: { kind: 'lapsed' } }] as const;
  expect(questionAndAnswerLines({ ...call, asked, outside: true })).toEqual([
    'asked whether it may connect to x.test:443: no answer',
    'ran outside the sandbox',
  ]);
  expect(questionAndAnswerLines({ ...call, outside: true, confined: true })).toEqual([
    'ran in a sandbox that only hides denied paths',
  ]);
  expect(questionAndAnswerLines(call)).toEqual([]);
});
