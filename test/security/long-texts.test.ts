// @module-tag attack
import { describe, expect, test } from 'vitest';
import { layOutMessages } from '../../src/core/fragments/checkpoint-messages.ts';
import { layOutSummary } from '../../src/core/fragments/checkpoint-work.ts';
import {
  findIntentTags,
  intentTags,
  parseStructuredAnswer,
} from '../../src/core/compaction/candidates/written-candidate.ts';
import { readLooseJson } from '../../src/core/compaction/candidates/loose-json.ts';
import { findQuotedMessages } from '../../src/core/compaction/candidates/match-quote.ts';
import { escapeFragmentMarkers } from '../../src/core/world/escape-fragment-markers.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

// Texts that a model, a tool or a repository makes, as long as one answer may be. A test that hangs is a test that
// fails: code that looks at each pair of characters does not come to the end of one of these today.

const { signal } = new AbortController();
const million = 1_000_000;

describe('tags of ours in a text that is not ours', () => {
  const hostile = {
    'blanks after a bracket': `<${' '.repeat(8 * million)}div>`,
    'blanks around a slash': `<${' '.repeat(4 * million)}/${' '.repeat(4 * million)}`,
    'blanks inside a name': `<image${' '.repeat(8 * million)}`,
    'nothing but carriage returns': '\r'.repeat(8 * million),
    'nothing but line separators': '\u2028'.repeat(8 * million),
    'signs of a heading': '# '.repeat(4 * million),
  };
  test.for(Object.entries(hostile))('%s', ([, text]) => {
    expect(escapeFragmentMarkers(text).length).toBe(text.length);
  });

  test('are found as before', () => {
    const blanks = ' \r\n\t';
    expect(escapeFragmentMarkers(`<${blanks}/${blanks}checkpoint_summary>`)).toMatch(/^&lt;/);
    expect(escapeFragmentMarkers(`<${blanks}checkpoint_summary>`)).toMatch(/^&lt;/);
    expect(escapeFragmentMarkers('a\r \t# AGENTS.md instructions')).toBe('a\r \t\\# AGENTS.md instructions');
    expect(escapeFragmentMarkers('< checkpoint_summaries>')).toMatch(/^< /);
    expect(escapeFragmentMarkers('<\u200Benv\u00ADironment_context>')).toMatch(/^&lt;/);
    expect(escapeFragmentMarkers('<image\u2800 \u200Bname="x">')).toMatch(/^&lt;/);
    expect(escapeFragmentMarkers('#\u200B AGENTS.md\u00A0instructions')).toMatch(/^\\#/);
  });
});

describe('the answer to a request for a checkpoint', () => {
  test('brackets without end', { tags: 'representative' }, () => {
    const text = `x {"summary":"a","a":[ ${'[],'.repeat(million / 2)}`;
    expect(readLooseJson(text, ['summary']).kind).toBe('cut-off');
  });

  test('commas before closing brackets are mended as before', () => {
    const read = readLooseJson('Here: {"summary": "a, ]", "b": [1, 2 ,\n ], }', ['summary']);
    expect(read).toMatchObject({ kind: 'found', value: { summary: 'a, ]', b: [1, 2] } });
    expect(readLooseJson('{"summary": "a",', ['summary'])).toMatchObject({ value: { summary: 'a' } });
  });

  test('a hundred thousand tags', () => {
    const [start, end, recent, closing] = intentTags;
    const many = 100_000;
    const text = `${`${end}\n`.repeat(many)}${start}\n${`${recent}\n`.repeat(many)}${closing}`;
    expect(findIntentTags(text)).toEqual({ kind: 'disordered' });
  });

  test('stars before a carriage return in the last line', { tags: 'representative' }, () => {
    const intent = intentTags.join('\n');
    const summary = `Done.\nRESUME_AT:${'*'.repeat(million)}\rx`;
    expect(parseStructuredAnswer(JSON.stringify({ intent_user_message: intent, summary })).kind).toBe('faulty');
  });

  test('a quote of megabytes beside hundreds of messages', () => {
    const words = Array.from({ length: 500 }, (_, index) => ({
      id: `u${index}`,
      text: `Message number ${index}: please look at the file src/f${index}.ts`,
      pictures: [],
      picturesLeftOut: 0,
    }));
    expect(findQuotedMessages(words as never, 'a b c d '.repeat(million))).toEqual([]);
  });
});

describe('a checkpoint is made', () => {
  const blanks = `<${' '.repeat(million)}div>`;

  const isForCheckpoint = (text: string): boolean => /Stop the work here|cannot be used/.test(text);
  const thread = (said: string, summary: string): Promise<LiveThread> =>
    LiveThread.in(({ body }) =>
      answer({ items: [say(isForCheckpoint(JSON.stringify(body['input'])) ? summary : said)], usage: 'none' }),
    );

  test('after an answer that is a bracket and blanks', async () => {
    const live = await thread(`Look: ${blanks}`, 'no');
    await live.turn('Write the page.');
    expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed' });
  });

  test('from a summary that is a bracket and blanks', async () => {
    const live = await thread('Worked on src/a.ts. '.repeat(2000), `In src/a.ts. ${blanks} Next are the tests.`);
    await live.turn('Add an option.');
    expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed' });
  });
});

describe('long lines of signs that look like a fence of ours', () => {
  const message = (text: string) =>
    ({ kind: 'message', text, pictures: [], pictureCount: 0, picturesLeftOut: 0, alsoIn: [] }) as const;
  const lengthOf = (texts: readonly string[]): number =>
    String(layOutMessages({ rows: texts.map(message) }).parts[0]?.['text']).length;

  test('in a message of the user', () => {
    const [plain, signs] = ['x', '='].map((sign) => [sign.repeat(100_000), ...Array(40).fill('note')] as string[]);
    // Two fences stand in each row, and the opening names one.
    expect(lengthOf(signs!) - lengthOf(plain!)).toBeLessThanOrEqual(10 * (2 * 42 + 1));
  });

  test('in the output of a tool', () => {
    const layOut = (sign: string): number =>
      layOutSummary({
        by: 'code',
        why: 'no answer',
        resumeAt: 'go on',
        results: Array.from({ length: 5 }, () => ({ call: 'cat', output: sign.repeat(100_000) })),
      }).text.length;
    expect(layOut('-') - layOut('x')).toBeLessThanOrEqual(10 * 10);
  });

  test('leave the messages of the user where they are', async () => {
    const works = answer({ items: [say(`Worked. ${'word '.repeat(150)}`)], usage: 'none' });
    const live = await LiveThread.in(() => works, 'model_context_window = 32000');
    await live.turn(`The log:\n${'='.repeat(3000)}\nPlease fix it.`);
    for (let turn = 0; turn < 20; turn++) await live.turn(`note ${turn}: the value must be ${turn * 7}`);
    const made = await live.thread.compact({ signal });
    expect(made).toMatchObject({ kind: 'installed', report: { words: { kept: 21, cut: 0, dropped: 0 } } });
  });
});
