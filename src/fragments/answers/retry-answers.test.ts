import { expect, test } from 'vitest';
import type { Answer, Question } from '../../protocol/question.ts';
import { notRunAgain, ranAgain } from './retry-answers.ts';

const host: Question['host'] = { name: 'x.test', port: 443, protocol: 'https' };
const verdict = { risk: 'high', authorization: 'unknown', rationale: 'fine' } as const;
const judged = '(risk: high; authorization by the user: unknown)';
const stopped = 'The sandbox stopped this command, and';
const blocked = 'The sandbox blocked the connection of this command to x.test:443, and';

test.each<[Answer | undefined, Question['host'], string]>([
  [{ kind: 'allowed' }, undefined, `${stopped} the user let it run again outside the sandbox.`],
  [{ kind: 'allowed', by: 'review' }, undefined, `${stopped} the reviewer let it run again outside the sandbox.`],
  [undefined, undefined, `${stopped} the user allowed it outside the sandbox for this session.`],
  [{ kind: 'allowed' }, host, `${blocked} the user allowed that.`],
  [{ kind: 'allowed', by: 'review' }, host, `${blocked} the reviewer allowed that.`],
  [undefined, host, `${blocked} the user allowed that for this session.`],
])('a second run says who allowed what: %j %j', (answer, to, said) => {
  const asked = { ...(answer && { answer }), ...(to && { host: to }) };
  expect(ranAgain(asked)).toBe(`${said} This is the second run.`);
});

test.each<[Answer, Question['host'], string]>([
  [{ kind: 'declined' }, undefined, `${stopped} the user did not let it run again outside of it.`],
  [{ kind: 'declined', note: 'Not today.' }, host, `${blocked} the user did not allow that. Not today.`],
  [{ kind: 'stopped' }, host, `${blocked} the user did not allow that.`],
  [
    { kind: 'lapsed' },
    host,
    `${blocked} the turn was interrupted before there was an answer whether it may run again.`,
  ],
  [{ kind: 'declined', by: 'default' }, host, `${blocked} no answer was prepared that would allow that.`],
  [{ kind: 'declined', by: 'review', verdict }, host, `${blocked} the reviewer did not allow that ${judged}. fine.`],
  [
    { kind: 'declined', by: 'review', verdict: { ...verdict, overruled: true }, note: 'Only the user can.' },
    undefined,
    `${stopped} Capstan did not let it run again outside of it, although the reviewer would have ${judged}. Only the user can.`,
  ],
  [
    { kind: 'declined', by: 'review', note: 'The review failed: No.' },
    host,
    `${blocked} no review was finished that would allow that. The review failed: No.`,
  ],
])('a single run says who declined what: %j %j', (answer, to, said) => {
  expect(notRunAgain({ answer, ...(to && { host: to }) })).toBe(said);
});
