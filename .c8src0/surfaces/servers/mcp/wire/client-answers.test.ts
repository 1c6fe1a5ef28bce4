import { expect, test } from 'vitest';
import { readClientResponses } from './client-answers.ts';

const asked = { question: { type: 'object', properties: { decision: { type: 'string' } }, required: ['decision'] } };

test.each([
  [{ action: 'accept' }, 'accept'],
  [{ action: 'accept', content: {} }, 'accept'],
  [{ action: 'accept', content: { decision: 'approved' } }, 'accept'],
  [{ action: 'accept', content: null }, 'unanswered'],
  [{ action: 'accept', content: [] }, 'unanswered'],
  [{ action: 'accept', content: 'approved' }, 'unanswered'],
  [{ action: 'accept', content: { decision: ['approved'] } }, 'unanswered'],
  [{ action: 'Accept' }, 'unanswered'],
  [null, 'unanswered'],
  [{ action: 'cancel' }, 'cancel'],
  [{ action: 'decline' }, 'decline'],
])('what a client answers to a form: %j', async (given, action) => {
  expect(await readClientResponses(asked, [['question', given]])).toMatchObject({ question: { action } });
});

test.each([
  [{ pattern: '^(a+)+$' }, 'unanswered'],
  [{ anyOf: [{ $ref: '#/nowhere' }, { pattern: '(' }] }, 'accept'],
  [{ type: 'number', $ref: '#/nowhere' }, 'unanswered'],
  [{ $ref: '#/properties/words' }, 'accept'],
])('a form of a stranger, with a field that is %j, comes to an end', async (words, action) => {
  const forms = { question: { type: 'object', properties: { words } } };
  const given = { action: 'accept', content: { words: `${'a'.repeat(100)}!` } };
  expect(await readClientResponses(forms, [['question', given]])).toMatchObject({ question: { action } });
});
