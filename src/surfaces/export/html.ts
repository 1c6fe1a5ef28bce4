import type { RecordedCall, RecordedItem } from '../../state/recorded-item.ts';
import type { TurnWithItems } from '../../state/turn-items.ts';
import { visibleText } from '../terminal/visible-text.ts';
import { plural } from '../wording/number-words.ts';
import { askedWords } from '../wording/asked-words.ts';
import { type CallReport, readCallReport } from '../../state/call-report.ts';
import { diffHtml } from './diff-html.ts';
import { escapeHtml } from './escape-html.ts';
import {
  authorWord,
  endAndTime,
  endWords,
  type ExportPage,
  pageFacts,
  pictureWords,
  title,
  turnFacts,
} from './export-page.ts';
import { costLine } from '../wording/usage-words.ts';
import { pageStyle } from './html-style.ts';
import { markdownHtml } from './markdown-html.ts';

/** The page may load nothing, whatever stands in it. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/**
 * The thread as one page that loads nothing and runs nothing. Answers are rendered; the user's words, commands and outputs
 * stand as they were written. Every text of the thread is escaped.
 */
export function htmlOf(page: ExportPage): string {
  const name = escaped(title(page));
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
  const end = endWords(turn);
  const facts = [startedAt, ...turnFacts(turn, turns[index - 1]).map((fact) => fact.join(' '))].filter(
    (text) => text !== '',
  );
  return `<section id="turn-${number}"${isTakenBack ? ' class="taken-back"' : ''}>
<h2><a href="#turn-${number}">Turn ${number}</a>${end === undefined ? '' : ` <em>${escaped(end)}</em>`}</h2>
<p class="facts">${facts.map(escaped).join(' · ')}</p>
${items.map(itemBlock).join('\n')}
${cost === undefined ? '' : `<p class="facts">Tokens: ${escaped(cost)}</p>\n`}</section>
`;
}

function itemBlock(item: RecordedItem): string {
  switch (item.kind) {
    case 'user':
      return `<article class="user"><h3>${authorWord(item.author)}</h3>${item.texts.map(textBlock).join('')}${pictureBlock(item.pictures)}</article>`;
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
  const report = output === undefined ? undefined : readCallReport(output.text);
  const end = report === undefined ? '' : endAndTime(report);
  const mark = end === '' ? '' : ` <small${report?.isFailure === true ? ' class="bad"' : ''}>${escaped(end)}</small>`;
  const answer =
    output === undefined || report === undefined
      ? '<p class="facts">No answer was recorded.</p>'
      : outputBlock(report) + pictureBlock(output.pictures);
  const decided = askedWords(call).map((words) => `<p class="facts">${escaped(words)}</p>`);
  return `<article class="call"><h3>${escaped(name)}${mark}</h3>${called}${decided.join('')}${answer}</article>`;
}

/** Longer outputs are folded. */
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

function folded(summary: string, body: string): string {
  return `<details><summary>${escaped(summary)}</summary>${body}</details>`;
}

function textBlock(text: string): string {
  return `<div class="text">${escaped(text)}</div>`;
}

function preBlock(text: string): string {
  return `<pre>${escaped(text)}</pre>`;
}

const embedded = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

/** Pictures that are in the file are in the page; an address is nothing that a page should fetch. */
function pictureBlock(pictures: readonly string[]): string {
  const shown = pictures.filter((url) => embedded.test(url));
  const others = pictures.filter((url) => !embedded.test(url));
  return (
    shown.map((url) => `<img alt="" src="${url}">`).join('') +
    (others.length === 0 ? '' : `<p class="facts">${pictureWords(others)} not shown</p>`)
  );
}

function escaped(text: string): string {
  return escapeHtml(visibleText(text));
}
