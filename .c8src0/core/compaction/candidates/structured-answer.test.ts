import { describe, expect, test } from 'vitest';
import { parseStructuredAnswer } from './written-candidate.ts';

const intent = [
  'Paths: /repo',
  '<VERBATIM_REQUEST_START>',
  'Fix {the} "parser".',
  '<VERBATIM_REQUEST_END>',
  '<RECENT_USER_CONTEXT_START>',
  '<RECENT_USER_CONTEXT_END>',
].join('\n');
const summary = 'Half done.\nRESUME_AT: run the tests';
const good = JSON.stringify({ intent_user_message: intent, summary });
const read = (...mended: readonly string[]) => ({ kind: 'read', intent, summary, extra: '', mended });
const faulty = (...faults: readonly string[]) => ({ kind: 'faulty', faults });

const around = 'Capstan left out the text around the JSON object.';
const spelling = 'Capstan corrected mistakes in the JSON.';
const notOne = 'The answer is not one valid JSON object.';
const cutOff = 'The answer was cut off before the JSON object ended: write less, so that all of it fits.';

describe('is read', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['as it should be', good, []],
    ['with white space and a byte order mark', `\uFEFF\n ${good}\n`, []],
    ['in a fence', `\`\`\`json\n${good}\n\`\`\``, [around]],
    ['in prose with braces', `Here is {what} you asked for:\n${good}\nLet me know {if} more is needed.`, [around]],
    ['with raw line ends', good.replaceAll('\\n', '\n'), [spelling]],
    ['with a comma too many', good.replace(/\}$/, ',}'), [spelling]],
    ['in a list', `[${good}]`, [around]],
    ['as a string', JSON.stringify(good), []],
    ['twice', `${good}\n${good}`, [around]],
    ['without its last brace', good.slice(0, -1), ['Capstan added the missing closing brace of the JSON object.']],
    [
      'with a draft before it',
      `${JSON.stringify({ intent_user_message: 'draft', summary: 'draft' })}\n${good}`,
      [around, 'There were several JSON objects; Capstan used the last complete one.'],
    ],
    [
      'with signs around the cursor',
      JSON.stringify({ intent_user_message: intent, summary: 'Half done.\n- **RESUME_AT:** run the tests\n' }),
      ['Capstan removed other characters from the `RESUME_AT:` line.'],
    ],
  ])('%s', (_, text, mended) => {
    expect(parseStructuredAnswer(text)).toEqual(read(...mended));
  });
});

test('what stands under other keys is kept as context', () => {
  const more = {
    thought: 1,
    next_step: ' run the tests ',
    key_facts: ['port 8080', { branch: 'main' }],
    empty: '',
    none: [],
  };
  expect(parseStructuredAnswer(JSON.stringify({ ...more, intent_user_message: intent, summary }))).toEqual({
    ...read('Text under keys that Capstan did not ask for became context for the task.'),
    extra: 'thought: 1\nnext_step: run the tests\nkey_facts:\n- port 8080\n- {"branch":"main"}',
  });
});

const withSummary = (summary: unknown): string => JSON.stringify({ intent_user_message: intent, summary });

test('a cursor in the middle goes to the end', () => {
  expect(parseStructuredAnswer(withSummary('RESUME_AT: here\nAnd more.'))).toMatchObject({
    summary: 'And more.\nRESUME_AT: here',
    mended: ['Capstan moved the `RESUME_AT:` line to the end.'],
  });
});

const withIntent = (intent: unknown): string => JSON.stringify({ intent_user_message: intent, summary });

describe('is refused', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['empty', '', ['The answer is empty.']],
    ['only white space', ' \n\uFEFF', ['The answer is empty.']],
    ['prose', 'I have fixed the parser. {done}', [notOne]],
    ['a number', '42', [notOne]],
    ['cut off in its summary', good.slice(0, -12), [cutOff]],
    ['cut off in its intent', good.slice(0, 60), [cutOff]],
    ['cut off before its summary', good.slice(0, good.indexOf(',"summary"')), [cutOff]],
    ['an empty object', '{}', ['The key `intent_user_message` is missing.', 'The key `summary` is missing.']],
    ['numbers for texts', withSummary(7), ['`summary` must be a string.']],
    ['nothing for texts', withIntent(null), ['`intent_user_message` must be a string.']],
    ['empty texts', withIntent('  '), ['`intent_user_message` is empty.']],
    [
      'no tags',
      withIntent('Fix the parser.'),
      [
        '`intent_user_message` lacks the tag <VERBATIM_REQUEST_START> on a line of its own.',
        '`intent_user_message` lacks the tag <VERBATIM_REQUEST_END> on a line of its own.',
        '`intent_user_message` lacks the tag <RECENT_USER_CONTEXT_START> on a line of its own.',
        '`intent_user_message` lacks the tag <RECENT_USER_CONTEXT_END> on a line of its own.',
      ],
    ],
    [
      'tags in another order',
      withIntent(
        '<RECENT_USER_CONTEXT_START>\n<RECENT_USER_CONTEXT_END>\n<VERBATIM_REQUEST_START>\n<VERBATIM_REQUEST_END>',
      ),
      [
        'The tags of `intent_user_message` are in the wrong order; the right order is <VERBATIM_REQUEST_START> <VERBATIM_REQUEST_END> <RECENT_USER_CONTEXT_START> <RECENT_USER_CONTEXT_END>.',
      ],
    ],
    ['no cursor', withSummary('All is well.'), ['`summary` does not end with a `RESUME_AT:` line.']],
    ['an empty cursor', withSummary('Done.\nRESUME_AT: …'), ['The `RESUME_AT:` line of `summary` names no next step.']],
  ])('%s', (_, text, faults) => {
    expect(parseStructuredAnswer(text)).toEqual(faulty(...faults));
  });
});

test('an answer of megabytes that is nothing comes to an end', () => {
  expect(parseStructuredAnswer('{"'.repeat(1_000_000))).toEqual(faulty(notOne));
});
