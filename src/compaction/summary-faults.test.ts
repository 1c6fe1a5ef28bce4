import { describe, expect, test } from 'vitest';
import type { Entry } from '../history/entry.ts';
import { historyOf } from '../history/history.ts';
import { project } from '../history/project.ts';
import { proseFaults, summaryFaults } from './summary-faults.ts';
import { noWork } from './work-records.ts';

function says(role: string, text: string): Entry {
  const item = { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] };
  return { item, origin: { family: role === 'user' ? 'user' : 'model' } };
}

const history = historyOf([
  says('user', 'Port the scanner in src/scan.ts to a loop, and keep test/scan.test.ts green.'),
  says(
    'assistant',
    'I read src/scan.ts, src/token.ts and package.json; nextToken and peekToken change, TAB_WIDTH stays.',
  ),
]);
const source = { history, input: project(history), work: noWork };

const good = `Status: the loop in src/scan.ts reads identifiers and numbers; strings are open.
Decisions: tabs count as one column (TAB_WIDTH), errors carry line and column.
Tests: 41 of 44 in test/scan.test.ts pass; failing: "unterminated string", "CRLF", "emoji column".
RESUME_AT: make nextToken treat \\r\\n as one line end`;

const table = Array.from(
  { length: 60 },
  (_, i) => `| src/file-${i}.ts | ${i * 13} | ${i % 3 === 0 ? 'done' : 'open'} |`,
);

describe('a summary', () => {
  test.each<readonly [string, string]>([
    ['of the work', good],
    ['in Japanese', 'スキャナーの半分は完了しました。次は nextToken の文字列リテラルの処理です。'],
    ['with a long table', `Files:\n${table.join('\n')}`],
    ['with code in it', `${good}\n\n\`\`\`ts\n${'const a = <Props>(x: T) => x;\n'.repeat(3)}\`\`\``],
    ['about a page', 'The template <main><h1>{title}</h1></main> in page.html is done; nextToken is open. '.repeat(2)],
    ['that is short and names a file', 'Half of src/scan.ts is done.'],
    ['that is short and uses the words of the conversation', 'The scanner is half done.'],
  ])('%s is one', (_, text) => {
    expect(proseFaults(text, source)).toEqual([]);
  });

  test.each<readonly [string, string, RegExp]>([
    ['the same word', 'the '.repeat(8000), /repeats itself/],
    ['the same sentence', 'Das ist erledigt. '.repeat(200), /repeats itself/],
    ['the same sign', '。'.repeat(700), /repeats itself/],
    ['a page of the web', '<!DOCTYPE html><html><body>502</body></html>', /markup/],
    ['mostly tags', '<div class="row"><span class="cell">a</span></div>'.repeat(4), /markup/],
    ['a call as JSON', '{"name":"exec_command","arguments":{"cmd":"ls"}}', /call of a tool/],
    ['a call in tags', '<tool_call>{"cmd":"ls"}</tool_call>', /call of a tool/],
    ['a patch', '*** Begin Patch\n*** Delete File: a\n*** End Patch', /call of a tool/],
  ])('%s is none', (_, text, fault) => {
    expect(summaryFaults(text)).toEqual([expect.stringMatching(fault)]);
  });

  test.each([
    "I'm sorry, but I can't help with that.",
    'Es tut mir leid, dabei kann ich nicht helfen.',
    '申し訳ありませんが、お手伝いできません。',
  ])('an apology is none: %s', (text) => {
    expect(proseFaults(text, source)).toEqual([expect.stringMatching(/names nothing of the work/)]);
  });

  test('in a conversation without names, short words may be all there is to say', () => {
    const talk = historyOf([says('user', 'Tell me a joke.'), says('assistant', 'No.')]);
    expect(proseFaults('They asked for a joke and got none.', { ...source, history: talk })).toEqual([]);
  });
});
