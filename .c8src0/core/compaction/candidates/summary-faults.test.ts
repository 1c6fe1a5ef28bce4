import { describe, expect, test } from 'vitest';
import { summaryFaults } from './written-candidate.ts';

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
    ['in two words', 'Lexer ported.'],
    ['in short Japanese', '画面の修正は半分終わり、残りは合計欄の計算と確認です。'],
    ['in short Arabic', 'الزر جاهز. بقي الاختبار.'],
    ['in short Chinese', '脚本已写好，图片都压缩了。'],
  ])('%s is one', (_, text) => {
    expect(summaryFaults(text)).toEqual([]);
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
});
