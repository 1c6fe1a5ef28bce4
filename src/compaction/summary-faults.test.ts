import { describe, expect, test } from 'vitest';
import type { Entry } from '../history/entry.ts';
import { historyOf } from '../history/history.ts';
import { project } from '../history/project.ts';
import type { CompactionSource } from './source.ts';
import { proseFaults, summaryFaults } from './summary-faults.ts';
import { noWork } from './work-records.ts';

function says(role: string, text: string): Entry {
  const item = { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] };
  return { item, origin: { family: role === 'user' ? 'user' : 'model' } };
}

const talkOf = (asked: string, answered: string): CompactionSource['history'] =>
  historyOf([
    says('user', asked),
    { item: { type: 'function_call_output', call_id: '1', output: listing }, origin: { family: 'tool' } },
    says('assistant', answered),
  ]);
/** Enough names that a summary can be expected to use one. */
const listing = 'tsconfig.json vite.config.ts .gitignore index.mjs knip.json lib/a1.ts lib/b2.ts';

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

  /** Short conversations with names in them, by language. */
  const talks: Readonly<Record<string, CompactionSource['history']>> = {
    English: talkOf(
      'Please add a health check to the server, and keep the tests green.',
      'I added GET /healthz in src/server/health.ts with node:http and ran npm test: 212 passed, 1 failed in test/health.test.ts.',
    ),
    German: talkOf(
      'Bitte baue den Export um: Die Datei soll gestreamt werden, nicht alles in den Speicher.',
      'Ich habe src/export/stream.ts angelegt und readFileSync in src/export/index.ts ersetzt; npx vitest run meldet 3 Fehler.',
    ),
    'German, taken back': talkOf(
      'Halt, vergiss das. Auf Staging wird gerade vorgeführt. Nichts löschen!',
      'Gut, ich lösche nichts.',
    ),
    French: talkOf(
      'Ajoute un bouton pour télécharger le rapport en PDF.',
      "Le bouton est dans src/report/Download.tsx, la route dans src/api/report.ts ; pdf-lib n'est pas encore installé (package.json).",
    ),
    Spanish: talkOf(
      'Cambia el tiempo de espera del cliente HTTP a 30 segundos.',
      'El valor está en src/http/client.ts y en config/default.toml; npm test falla en test/http/client.test.ts.',
    ),
    Russian: talkOf(
      'Почини сборку: CI красный уже час.',
      'Сборка падает в src/build/index.ts: TS2304. Запустил npm run build, посмотрел .github/workflows/ci.yml.',
    ),
    Japanese: talkOf(
      'ログイン画面のバリデーションを直してください。メールアドレスが空のときにエラーが出ません。',
      'src/login/validate.ts を修正し、test/login.test.ts を追加しました。npx vitest run は src/login で 2 件失敗します。',
    ),
    Chinese: talkOf(
      '写一个脚本，把所有图片压缩到200KB以下，保留原图。',
      '脚本在 scripts/compress.mjs，用 sharp 压缩；package.json 已更新，node scripts/compress.mjs 处理了 31 张图片。',
    ),
    Korean: talkOf(
      '결제 모듈의 재시도 로직을 고쳐 주세요.',
      'src/pay/retry.ts 를 수정했고 test/pay/retry.test.ts 를 추가했습니다. npx vitest run 결과 결제 테스트 1개가 실패합니다.',
    ),
    Arabic: talkOf(
      'أضف زر تصدير إلى صفحة التقارير بصيغة PDF.',
      'أضفت الزر في src/reports/export-button.tsx والمسار في src/api/export.ts، والاختبار في test/export.test.ts لم يعمل بعد.',
    ),
  };

  test.each<readonly [string, string]>([
    ['English', 'The server has the health check now. One test is still red.'],
    ['English', 'Health checks work; one of the tests fails.'],
    ['English', 'All but one of 213 are green: 212. Look at the failing one.'],
    ['English', 'Endpoint answers. Next: the test that failed.'],
    ['German', 'Der Export streamt jetzt. Drei Tests sind noch rot.'],
    ['German', 'Umbau des Exports fertig, Fehler noch offen.'],
    ['German, taken back', 'Nichts wurde gelöscht; der Auftrag ist zurückgezogen.'],
    ['French', 'Le bouton est en place. Il reste à installer la bibliothèque.'],
    ['Spanish', 'El cliente espera treinta segundos. Un test falla todavía.'],
    ['Russian', 'Сборка всё ещё падает. Причина найдена.'],
    ['Japanese', 'バリデーションは直しました。テストが二件残っています。'],
    ['Japanese', 'ログインの修正は完了。次はテスト。'],
    ['Chinese', '脚本已写好，图片都压缩了。'],
    ['Korean', '결제 재시도 로직은 고쳤고, 테스트 하나가 남았습니다.'],
    ['Arabic', 'الزر جاهز في صفحة التقارير. بقي الاختبار.'],
    ['English', 'Der health check steht, ein Test ist rot.'],
  ])('in %s that is short and true is one: %s', (language, text) => {
    expect(proseFaults(text, { ...source, history: talks[language]! })).toEqual([]);
  });

  test.each<readonly [string, string]>([
    ['English', "I'm sorry, but I can't help with that."],
    ['English', "I'm unable to assist with this request. Is there anything else you would like to talk about today?"],
    ['English', 'As an AI language model, I do not have access to previous messages.'],
    ['English', 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.'],
    ['English', 'Roses are red, violets are blue, sugar is sweet, and so are you.'],
    ['German', 'Es tut mir leid, dabei kann ich leider nicht helfen.'],
    ['French', 'Je suis désolé, mais je ne peux pas vous aider.'],
    ['Spanish', 'Lo siento, no puedo ayudarte con eso.'],
    ['Russian', 'Извините, я не могу с этим помочь.'],
    ['Japanese', '申し訳ありませんが、お手伝いできません。'],
    ['Chinese', '抱歉，我无法协助您完成此请求。'],
    ['Korean', '죄송하지만 도와드릴 수 없습니다.'],
    ['Arabic', 'عذرًا، لا أستطيع المساعدة في هذا الطلب.'],
  ])('in %s that has nothing to do with the work is none: %s', (language, text) => {
    expect(proseFaults(text, { ...source, history: talks[language]! })).toEqual([
      expect.stringMatching(/names nothing of the work/),
    ]);
  });

  test('in a conversation without names, short words may be all there is to say', () => {
    const talk = historyOf([says('user', 'Tell me a joke.'), says('assistant', 'No.')]);
    expect(proseFaults('They asked for a joke and got none.', { ...source, history: talk })).toEqual([]);
  });
});
