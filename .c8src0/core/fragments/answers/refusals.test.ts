import { expect, test } from 'vitest';
import type { Answer } from '../../../protocol/question.ts';
import { hostAnswersText, notRunAgainText, ranAgainText } from './refusals.ts';

const host = { name: 'x.test', port: 443, protocol: 'https' } as const;
const verdict = { risk: 'high', authorization: 'unknown', rationale: 'fine' } as const;
const judged = '(risk: high; authorization by the user: unknown)';
const stopped = 'The sandbox stopped this command, and';
const waited = 'The command waited to connect to x.test:443, and';

test.each<[Answer | undefined, string]>([
  [{ kind: 'allowed' }, 'the user let it run again outside the sandbox.'],
  [{ kind: 'allowed', by: 'review' }, 'the reviewer let it run again outside the sandbox.'],
  [undefined, 'the user allowed it outside the sandbox for this session.'],
])('a second run says who allowed it: %j', (answer, said) => {
  expect(ranAgainText({ where: 'outside the sandbox', ...(answer && { answer }) })).toBe(
    `${stopped} ${said} This is the second run.`,
  );
});

const where = 'outside the sandbox';
const again = `let it run again ${where}`;

test.each<[Answer, string, string]>([
  [{ kind: 'declined' }, `the user did not ${again}.`, 'the user did not allow that.'],
  [
    { kind: 'declined', note: 'Not today.' },
    `the user did not ${again}. The user says: Not today.`,
    'the user did not allow that. The user says: Not today.',
  ],
  [{ kind: 'stopped' }, `the user did not ${again}.`, 'the user did not allow that.'],
  [
    { kind: 'lapsed' },
    'the turn was interrupted before there was an answer whether it may run again.',
    'there was no answer.',
  ],
  [
    { kind: 'declined', by: 'default' },
    `no answer was prepared that would ${again}.`,
    'no answer was prepared that would allow that.',
  ],
  [
    { kind: 'declined', by: 'review', verdict },
    `the reviewer did not ${again} ${judged}. fine.`,
    `the reviewer did not allow that ${judged}. fine.`,
  ],
  [
    { kind: 'declined', by: 'review', verdict: { ...verdict, overruled: true }, note: 'Only the user can.' },
    `Capstan did not ${again}, although the reviewer would have ${judged}. Only the user can.`,
    `Capstan did not allow that, although the reviewer would have ${judged}. Only the user can.`,
  ],
  [
    { kind: 'declined', by: 'review', note: 'The review failed: No.' },
    `no review was finished that would ${again}. The review failed: No.`,
    'no review was finished that would allow that. The review failed: No.',
  ],
])('the model reads who declined another try or a host: %j', (answer, retry, connection) => {
  expect(notRunAgainText({ answer, where })).toBe(`${stopped} ${retry}`);
  expect(hostAnswersText([{ host, answer }])).toEqual([`${waited} ${connection}`]);
});

test('hosts with the same answer share a sentence', () => {
  const other = { ...host, name: 'y.test', port: 80 };
  const answers = [
    { host, answer: { kind: 'declined' } },
    { host: { ...host, name: 'z.test' }, answer: { kind: 'declined', note: 'Not that.' } },
    { host: other, answer: { kind: 'declined' } },
  ] as const;
  expect(hostAnswersText(answers)).toEqual([
    'The command waited to connect to x.test:443, y.test:80, and the user did not allow that.',
    'The command waited to connect to z.test:443, and the user did not allow that. The user says: Not that.',
  ]);
});
