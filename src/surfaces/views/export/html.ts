import { type CallReport, parseCallReport } from '../../../core/state/recorded/call-answers.ts';
import type { RecordedCall, RecordedItem } from '../../../core/state/recorded/conversation-items.ts';
import type { TurnWithItems } from '../../../core/state/turns/turn-items.ts';
import { plural } from '../../../engine/wording.ts';
import { questionAndAnswerLines } from '../questions/asked-words.ts';
import { visibleText } from '../terminal/visible-text.ts';
import { costLine } from '../wording/cost-words.ts';
import {
  callEndAndDuration,
  type ExportPage,
  exportTitle,
  itemAuthor,
  pageFacts,
  pictureWords,
  turnEndWords,
  changedTurnSettings,
} from './export-page.ts';
import { diffHtml, escapeHtml, markdownHtml } from './markdown-html.ts';

/** The page may load nothing, whatever it contains. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** One page that loads and runs nothing. Only answers are rendered, all else is verbatim. Every text is escaped. */
export function threadHtml(page: ExportPage): string {
  const name = escaped(exportTitle(page));
  const facts = pageFacts(page).map(([term, value]) => `<dt>${escaped(term)}</dt><dd>${escaped(value)}</dd>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>
${pageStyle}</style>
</head>
<body>
<header>
<h1>${name}</h1>
<dl>${facts.join('')}</dl>
</header>
<main>
${page.turns.map(turnSection).join('')}</main>
</body>
</html>
`;
}

function turnSection(turn: TurnWithItems, index: number, turns: readonly TurnWithItems[]): string {
  const { number, startedAt, items, isTakenBack } = turn;
  const cost = costLine(turn);
  const end = turnEndWords(turn);
  const set = changedTurnSettings(turn, turns[index - 1]).map((fact) => fact.join(' '));
  const facts = [startedAt, ...set].filter((text) => text !== '');
  return `<section id="turn-${number}"${isTakenBack ? ' class="taken-back"' : ''}>
<h2><a href="#turn-${number}">Turn ${number}</a>${end === undefined ? '' : ` <em>${escaped(end)}</em>`}</h2>
<p class="facts">${facts.map(escaped).join(' · ')}</p>
${items.map(itemBlock).join('\n')}
${cost === undefined ? '' : `<p class="facts">Tokens: ${escaped(cost)}</p>\n`}</section>
`;
}

function itemBlock(item: RecordedItem): string {
  switch (item.kind) {
    case 'user': {
      const texts = item.texts.map((text) => `<div class="text">${escaped(text)}</div>`).join('');
      return `<article class="user"><h3>${itemAuthor(item.author)}</h3>${texts}${pictureBlock(item.pictures)}</article>`;
    }
    case 'assistant': {
      const phase = item.phase === undefined ? '' : ` <small>${escaped(item.phase.replaceAll('_', ' '))}</small>`;
      return `<article class="assistant"><h3>Assistant${phase}</h3>${markdownHtml(item.text)}</article>`;
    }
    case 'reasoning':
      return folded('Reasoning', markdownHtml(item.text));
    case 'context':
      return folded(`Context: ${item.title}`, preBlock(item.text));
    case 'checkpoint':
      return `<article class="checkpoint"><h3>Checkpoint</h3><p>History was replaced.</p>${markdownHtml(item.text)}</article>`;
    case 'call':
      return callBlock(item);
  }
}

function callBlock(call: RecordedCall): string {
  const { name, form, input, output } = call;
  const called = form === 'patch' ? diffHtml(visibleText(input)) : preBlock(form === 'command' ? `$ ${input}` : input);
  const report = output === undefined ? undefined : parseCallReport(output.text);
  const end = report === undefined ? '' : callEndAndDuration(report);
  const mark = end === '' ? '' : ` <small${report?.isFailure === true ? ' class="bad"' : ''}>${escaped(end)}</small>`;
  const answer =
    output === undefined || report === undefined
      ? '<p class="facts">No answer was recorded.</p>'
      : outputBlock(report) + pictureBlock(output.pictures);
  const decided = questionAndAnswerLines(call).map((words) => `<p class="facts">${escaped(words)}</p>`);
  return `<article class="call"><h3>${escaped(name)}${mark}</h3>${called}${decided.join('')}${answer}</article>`;
}

const [mostLines, mostCharacters] = [15, 2000];

function outputBlock({ output, isFailure }: CallReport): string {
  const text = output.trimEnd();
  if (text === '') return '';
  const body = text.startsWith('diff --git ')
    ? diffHtml(visibleText(text))
    : `<pre class="output${isFailure ? ' bad' : ''}">${escaped(text)}</pre>`;
  const lines = text.split('\n').length;
  return lines > mostLines || text.length > mostCharacters ? folded(`Output, ${plural(lines, 'line')}`, body) : body;
}

const folded = (summary: string, body: string): string =>
  `<details><summary>${escaped(summary)}</summary>${body}</details>`;

const preBlock = (text: string): string => `<pre>${escaped(text)}</pre>`;
const embedded = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

/** Embeds pictures that are in the file; addresses are not fetched. */
function pictureBlock(pictures: readonly string[]): string {
  const shown = pictures.filter((url) => embedded.test(url));
  const others = pictures.filter((url) => !embedded.test(url));
  return (
    shown.map((url) => `<img alt="" src="${url}">`).join('') +
    (others.length === 0 ? '' : `<p class="facts">${pictureWords(others)} not shown</p>`)
  );
}

const escaped = (text: string): string => escapeHtml(visibleText(text));

/** Light or dark by the reader's system; black on white on paper. */
const pageStyle = `:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --box: #f6f8fa;
  --user: #ddf4ff; --added: #116329; --added-paper: #dafbe1; --removed: #a40e26; --removed-paper: #ffebe9;
  --file: #6639ba; --link: #0969da; --bad: #cf222e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --box: #161b22;
    --user: #12263f; --added: #7ee787; --added-paper: #12261e; --removed: #ffa198; --removed-paper: #301518;
    --file: #d2a8ff; --link: #79c0ff; --bad: #ff7b72;
  }
}
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2rem; }
h2 a { color: inherit; text-decoration: none; }
h2 em { color: var(--bad); font-weight: normal; font-size: 1rem; }
h3 { margin: 0 0 0.3rem; font-size: 0.85rem; color: var(--faint); }
h3 small { font-size: inherit; font-weight: normal; }
h3 .bad { color: var(--bad); font-weight: 600; }
h4, h5, h6 { margin: 1.2rem 0 0.4rem; font-size: 1.1rem; }
h5, h6 { font-size: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; font-size: 0.9rem; margin: 0; }
dt, .facts { color: var(--faint); }
dd { margin: 0; }
a { color: var(--link); }
.facts { font-size: 0.85rem; margin: 0.3rem 0; }
article, details { margin: 0.8rem 0; padding: 0.6rem 0.9rem; border: 1px solid var(--line); border-radius: 6px; }
article.user { background: var(--user); }
article.call, details { background: var(--box); }
article.assistant { border-color: transparent; padding-left: 0; padding-right: 0; }
article details { margin: 0.5rem 0 0; border: 0; padding: 0; }
summary { cursor: pointer; color: var(--faint); font-size: 0.85rem; }
.text { white-space: pre-wrap; }
p { margin: 0.6rem 0; }
ul, ol { margin: 0.6rem 0; padding-left: 1.6rem; }
blockquote { margin: 0.6rem 0; padding-left: 0.9rem; border-left: 3px solid var(--line); color: var(--faint); }
hr { border: 0; border-top: 1px solid var(--line); }
table { border-collapse: collapse; margin: 0.6rem 0; font-size: 0.95rem; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
.number { text-align: right; }
.centre { text-align: center; }
code { font: 0.875em ui-monospace, monospace; background: var(--box); border-radius: 4px; padding: 0.1em 0.3em; }
pre { margin: 0.3rem 0; white-space: pre-wrap; font: 13px/1.45 ui-monospace, monospace; }
.assistant pre, .checkpoint pre { background: var(--box); border-radius: 6px; padding: 0.6rem 0.8rem; }
pre code { font: inherit; background: none; padding: 0; }
pre.output { color: var(--faint); border-left: 3px solid var(--line); padding-left: 0.7rem; }
pre.output.bad { border-color: var(--bad); }
img { max-width: 100%; }
.added { color: var(--added); background: var(--added-paper); }
.removed { color: var(--removed); background: var(--removed-paper); }
.file, .place { color: var(--file); }
.taken-back { opacity: 0.6; }
@media print {
  :root { --paper: #fff; --ink: #000; --faint: #444; --line: #bbb; --box: #fff; --user: #fff; --link: #000;
    --added: #116329; --added-paper: #fff; --removed: #a40e26; --removed-paper: #fff; --file: #6639ba; --bad: #a40e26; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  h2, h3, summary { break-after: avoid; }
  tr, img { break-inside: avoid; }
  .taken-back { opacity: 1; }
}
`;
