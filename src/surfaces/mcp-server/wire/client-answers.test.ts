import { expect, test } from 'vitest';
import { responsesTo } from './client-answers.ts';

const asked = { question: { type: 'object', properties: { decision: { type: 'string' } }, required: ['decision'] } };

test.each([
  [{ action: 'accept' }, 'accept'],
  [{ action: 'accept', content: {} }, 'accept'],
  [{ action: 'accept', content: { decision: 'approved' } }, 'accept'],
  [{ action: 'accept', content: null }, 'cancel'],
  [{ action: 'accept', content: [] }, 'cancel'],
  [{ action: 'accept', content: 'approved' }, 'cancel'],
  [{ action: 'accept', content: { decision: ['approved'] } }, 'cancel'],
  [{ action: 'Accept' }, 'cancel'],
  [null, 'cancel'],
])('what a client answers to a form: %j', (given, action) => {
  expect(responsesTo(asked, [['question', given]])).toMatchObject({ question: { action } });
});
