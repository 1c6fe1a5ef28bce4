import { visibleText } from '../visible-text.ts';
import { endWords, pageFacts, pictureWords, title, usageWords } from './page-words.ts';
import type { PageCall, PagePart, PageTurn, ThreadPage } from './thread-page.ts';

/** The thread as Markdown. What the user said is quoted, what commands printed is fenced, and context is folded. */
export function markdownOf(page: ThreadPage): string {
  const facts = pageFacts(page).map(([name, value]) => `- ${name}: ${inline(value)}`);
  const blocks = [`# ${escaped(title(page))}`, facts.join('\n'), ...page.turns.flatMap(turnBlocks)];
  return `${blocks.join('\n\n')}\n`;
}

function turnBlocks(turn: PageTurn): readonly string[] {
  const { number, startedAt, settings, parts, usage } = turn;
  const end = endWords(turn);
  const facts = settings.map(([name, value]) => `${name} ${inline(value)}`).join(', ');
  return [
    `## Turn ${number}${end === undefined ? '' : ` (${escaped(end)})`}`,
    [startedAt, facts].filter((text) => text !== '').join(' · '),
    ...parts.map(partBlock),
    ...(usage === undefined ? [] : [`*Tokens: ${usageWords(usage)}*`]),
  ];
}

function partBlock(part: PagePart): string {
  switch (part.kind) {
    case 'user': {
      const pictures = part.pictures.length === 0 ? [] : [`[${pictureWords(part.pictures)}]`];
      return `**User**\n\n${quoted([...part.texts, ...pictures].join('\n\n'))}`;
    }
    case 'assistant':
      return `**Assistant**${part.phase === undefined ? '' : ` (${escaped(part.phase)})`}\n\n${visibleText(part.text)}`;
    case 'reasoning':
      return folded('Reasoning', quoted(part.text));
    case 'context':
      return folded(`Context: ${part.title}`, fenced(part.text));
    case 'checkpoint':
      return `**Checkpoint**: history was replaced.${part.text === '' ? '' : `\n\n${quoted(part.text)}`}`;
    case 'call':
      return callBlock(part);
  }
}

function callBlock({ name, form, input, output }: PageCall): string {
  const language = { command: 'sh', patch: 'diff', other: '' }[form];
  const called = `**Call** ${inline(name)}\n\n${fenced(input, language)}`;
  if (output === undefined) return `${called}\n\nNo answer was recorded.`;
  const pictures = output.pictures.length === 0 ? '' : ` (${pictureWords(output.pictures)})`;
  return `${called}\n\n${folded(`Output${pictures}`, fenced(output.text))}`;
}

function folded(summary: string, body: string): string {
  return `<details><summary>${summary.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</summary>\n\n${body}\n\n</details>`;
}

function quoted(text: string): string {
  return visibleText(text)
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** The fence is longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visibleText(text).replace(/\n$/, '')}\n${fence}`;
}

function inline(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const tick = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${tick}${space}${visibleText(text).replaceAll('\n', ' ')}${space}${tick}`;
}

function escaped(text: string): string {
  return visibleText(text)
    .replaceAll('\n', ' ')
    .replaceAll(/[\\`*_[\]<>#]/g, (sign) => `\\${sign}`);
}
