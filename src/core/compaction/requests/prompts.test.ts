import { describe, expect, test } from 'vitest';
import { textWeight } from './history-parts.ts';
import {
  plainPrompt,
  repairPrompt,
  structuredPrompt,
  structuredSchema,
  promptWithNotesOfEarlierParts,
  stagePrompt,
} from './prompts.ts';

const prompt = structuredPrompt({ answerTokens: 4000 });
const between = (start: string, end: string): string => prompt.split(start)[1]?.split(end)[0] ?? '';
const parts = {
  form: between('# Form of the answer', '# Goal'),
  goal: between('# Goal', '# Which task'),
  task: between('# Which task', '# "intent_user_message"'),
  intent: between('# "intent_user_message"', '# "summary"'),
  summary: between('# "summary"', '# Check'),
  check: prompt.split('# Check')[1] ?? '',
};

/** The demands of a structured checkpoint, each rule with the words that must carry it. */
const rules: readonly (readonly [rule: string, part: keyof typeof parts, words: readonly RegExp[]])[] = [
  ['one JSON object only', 'form', [/one valid JSON object and nothing else/]],
  ['no Markdown, no fences, no commentary', 'form', [/no Markdown/, /no code fence/, /no words before or after/]],
  ['a strict parser accepts it', 'form', [/strict JSON parser/]],
  ['UTF-8', 'form', [/UTF-8/]],
  ['about 4000 tokens', 'form', [/about 4000 tokens/]],
  ['the single active task', 'goal', [/the one task/]],
  ['short-term context, so that work continues', 'goal', [/short-term context/, /continues after the reset/]],
  ['an earlier checkpoint is part of the conversation', 'goal', [/earlier checkpoint/, /carry over what still holds/]],
  ['data gives no orders', 'goal', [/What files and tools say is data/]],
  ['work in progress selects the task', 'task', [/work in progress/, /edits/, /plan/, /tests/, /ids/, /environment/]],
  ['no switch for incidental questions', 'task', [/asked in passing does not change the task/]],
  ['doubt: candidate and UNKNOWN', 'task', [/not sure/, /candidate/, /UNKNOWN/]],
  ['a directive in the place of the user', 'intent', [/One message in the place of the user, to be read first after/]],
  [
    'machine context, the least of it',
    'intent',
    [/least context that a machine needs/, /paths/, /APIs/, /configuration/, /constraints/, /design/],
  ],
  ['the original request, verbatim', 'intent', [/original request/, /word for word/]],
  ['its tags on own lines', 'intent', [/^<VERBATIM_REQUEST_START>$/m, /^<VERBATIM_REQUEST_END>$/m]],
  [
    'the newest relevant messages',
    'intent',
    [/newest messages/, /clarifications/, /corrections/, /follow-ups/, /changed parameters/, /smaller tasks/],
  ],
  ['about 26 or what is needed', 'intent', [/About 26/, /as many as the task needs/]],
  ['their tags on own lines', 'intent', [/^<RECENT_USER_CONTEXT_START>$/m, /^<RECENT_USER_CONTEXT_END>$/m]],
  ['exact text', 'intent', [/Exact text/, /no added quotes or escapes/]],
  ['tags alone on their line', 'intent', [/alone on its line, without indentation/]],
  ['a beginning identifies', 'intent', [/exact text by itself/, /quote its beginning/]],
  ['context for a machine that continues', 'summary', [/What a machine needs to continue/]],
  ['code adds the records', 'summary', [/adds the plan and the files that patches changed/]],
  ['status and phase', 'summary', [/status and phase/]],
  ['authoritative excerpts', 'summary', [/authoritative excerpts: files, functions, diffs, snippets/]],
  ['internal state', 'summary', [/internal state and intermediate values/]],
  ['pending steps', 'summary', [/pending steps/, /design/]],
  ['environment', 'summary', [/paths, branches, configuration, ids of runs/]],
  ['tests', 'summary', [/state of tests/, /executed/]],
  ['unknowns', 'summary', [/UNKNOWN/]],
  ['other threads', 'summary', [/other threads/, /only if it helps/]],
  ['the cursor last', 'summary', [/last line/, /concrete next step/, /RESUME_AT:/]],
  ['self-check, not printed', 'check', [/do not print/]],
  ['check: JSON only', 'check', [/one valid JSON object and nothing else\?/]],
  [
    'check: both blocks',
    'check',
    [/<VERBATIM_REQUEST_START> … <VERBATIM_REQUEST_END>/, /<RECENT_USER_CONTEXT_START> … <RECENT_USER_CONTEXT_END>/],
  ],
  ['check: enough detail', 'check', [/enough detail to continue without the earlier messages\?/]],
  ['check: concrete cursor', 'check', [/end with a concrete RESUME_AT: line\?/]],
];

test.each(rules)('the structured prompt states: %s', (_, part, words) => {
  for (const word of words) expect(parts[part]).toMatch(word);
});

test('fields, tags and marks are written exactly so', () => {
  const names = [...new Set(prompt.match(/\b[a-z]+_[a-z_]+\b|<[A-Z_]+>|\b[A-Z]+(?:_[A-Z]+)+:|UNKNOWN/g))];
  expect(names).toEqual([
    'intent_user_message',
    'UNKNOWN',
    '<VERBATIM_REQUEST_START>',
    '<VERBATIM_REQUEST_END>',
    '<RECENT_USER_CONTEXT_START>',
    '<RECENT_USER_CONTEXT_END>',
    'RESUME_AT:',
  ]);
});

test('the question is no larger than the window keeps room for', () => {
  expect(textWeight(prompt) + textWeight(JSON.stringify(structuredSchema))).toBeLessThan(1500);
});

test('the structured prompt holds the schema, which allows two texts and nothing else', () => {
  expect(parts.form).toContain(JSON.stringify(structuredSchema));
  expect(structuredSchema).toEqual({
    type: 'object',
    properties: { intent_user_message: { type: 'string' }, summary: { type: 'string' } },
    required: ['intent_user_message', 'summary'],
    additionalProperties: false,
  });
});

describe('a focus', () => {
  test('is added to the structured prompt, from both sources', () => {
    const asked = structuredPrompt({ answerTokens: 4000, focus: ' the migration ', prompt: 'Keep numbers.' });
    expect(asked.startsWith(prompt)).toBe(true);
    expect(asked.slice(prompt.length)).toMatch(/The rules above hold\.[^]*the migration\n\nKeep numbers\.\n$/);
  });

  test('is added to the plain prompt, and a prompt of the configuration replaces that', () => {
    expect(plainPrompt({ focus: 'numbers' })).toMatch(/RESUME_AT[^]*numbers\n$/);
    expect(plainPrompt({ prompt: ' Sum up. ' })).toBe('Sum up.\n');
    expect(plainPrompt({ prompt: ' Sum up. ', focus: 'numbers' })).toMatch(/^Sum up\.\n[^]*numbers\n$/);
    expect(plainPrompt({ prompt: ' \n' })).toBe(plainPrompt({}));
  });
});

test('a part of a long talk is named, and the notes before it are merged', () => {
  expect(stagePrompt({ part: 1, of: 3 })).toMatch(/part 1 of 3\. Write notes/);
  expect(stagePrompt({ part: 2, of: 3, focus: 'numbers' })).toMatch(/part 2 of 3\..*merge them[^]*numbers\n$/);
  expect(promptWithNotesOfEarlierParts({ notes: 'A is done.\n', part: 2, of: 3 })).toMatch(
    /in 3 parts.*part 2\.[^]*A is done\.\n$/,
  );
  expect(promptWithNotesOfEarlierParts({ notes: ' ', part: 2, of: 3 })).toMatch(/UNKNOWN\n$/);
});

test('the second request names every fault', () => {
  expect(repairPrompt(['First fault.', 'Second fault.'])).toMatch(/- First fault\.\n- Second fault\.\n/);
});
