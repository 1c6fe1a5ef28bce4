import type { RecordedCall, RecordedItem } from '../../state/recorded-item.ts';
import type { TurnWithItems } from '../../state/turn-items.ts';
import { visibleText } from '../terminal/visible-text.ts';
import { endWords, type ExportPage, pageFacts, pictureWords, title, turnFacts, usageWords } from './export-page.ts';
import { pageStyle } from './html-style.ts';

/** The page may load nothing, whatever stands in it. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The thread as one page that needs nothing else: no script, no address, and every text of the thread escaped. */
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

function turnSection(turn: TurnWithItems): string {
  const { number, startedAt, items, usage, isTakenBack } = turn;
  const end = endWords(turn);
  const facts = [startedAt, ...turnFacts(turn).map((fact) => fact.join(' '))].filter((text) => text !== '');
  return `<section id="turn-${number}"${isTakenBack ? ' class="taken-back"' : ''}>
<h2><a href="#turn-${number}">Turn ${number}</a>${end === undefined ? '' : ` <em>${escaped(end)}</em>`}</h2>
<p class="facts">${facts.map(escaped).join(' · ')}</p>
${items.map(itemBlock).join('\n')}
${usage === undefined ? '' : `<p class="facts">Tokens: ${escaped(usageWords(usage))}</p>\n`}</section>
`;
}

function itemBlock(item: RecordedItem): string {
  switch (item.kind) {
    case 'user':
      return `<article class="user"><h3>User</h3>${item.texts.map(textBlock).join('')}${pictureBlock(item.pictures)}</article>`;
    case 'assistant': {
      const phase = item.phase === undefined ? '' : ` <small>${escaped(item.phase)}</small>`;
      return `<article class="assistant"><h3>Assistant${phase}</h3>${textBlock(item.text)}</article>`;
    }
    case 'reasoning':
      return folded('Reasoning', textBlock(item.text));
    case 'context':
      return folded(`Context: ${item.title}`, preBlock(item.text));
    case 'checkpoint':
      return `<article class="checkpoint"><h3>Checkpoint</h3><p>History was replaced.</p>${item.text === '' ? '' : textBlock(item.text)}</article>`;
    case 'call':
      return callBlock(item);
  }
}

function callBlock({ name, form, input, output }: RecordedCall): string {
  const called = form === 'patch' ? patchBlock(input) : preBlock(form === 'command' ? `$ ${input}` : input);
  const answer =
    output === undefined
      ? '<p class="facts">No answer was recorded.</p>'
      : folded('Output', preBlock(output.text) + pictureBlock(output.pictures));
  return `<article class="call"><h3>${escaped(name)}</h3>${called}${answer}</article>`;
}

function patchBlock(text: string): string {
  const lines = visibleText(text)
    .split('\n')
    .map((line) => {
      const kind = lineKinds.get(/^(?:[+-]|\*{3})/.exec(line)?.[0] ?? '');
      return kind === undefined ? escaped(line) : `<span class="${kind}">${escaped(line)}</span>`;
    });
  return `<pre>${lines.join('\n')}</pre>`;
}

const lineKinds = new Map([
  ['+', 'added'],
  ['-', 'removed'],
  ['***', 'file'],
]);

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
  return visibleText(text).replaceAll(/[&<>"']/g, (sign) => signs.get(sign)!);
}

const signs = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }));
