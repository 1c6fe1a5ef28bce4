import { closesCodeFence, type Fence, readFence } from '../../../base/markdown/code-fence.ts';
import type { RecordedCall, RecordedItem } from '../../../core/state/recorded/conversation-items.ts';
import type { TurnWithItems } from '../../../core/state/turns/turn-items.ts';
import { escapeHtml } from './markdown-html.ts';
import { visibleText } from '../terminal/visible-text.ts';
import { questionAndAnswerLines } from '../questions/asked-words.ts';
import { parseCallReport } from '../../../core/state/recorded/call-answers.ts';
import {
  itemAuthor,
  callEndAndDuration,
  turnEndWords,
  type ExportPage,
  pageFacts,
  pictureWords,
  exportTitle,
  changedTurnSettings,
} from './export-page.ts';
import { costLine } from '../wording/cost-words.ts';

/** The thread as Markdown: input of the user is quoted, output of commands fenced, and context folded. */
export function threadMarkdown(page: ExportPage): string {
  const facts = pageFacts(page).map(([name, value]) => `- ${name}: ${inline(value)}`);
  return `${[`# ${escaped(exportTitle(page))}`, facts.join('\n'), ...page.turns.flatMap(turnBlocks)].join('\n\n')}\n`;
}

function turnBlocks(turn: TurnWithItems, index: number, turns: readonly TurnWithItems[]): readonly string[] {
  const { number, startedAt, items } = turn;
  const cost = costLine(turn);
  const end = turnEndWords(turn);
  const facts = changedTurnSettings(turn, turns[index - 1]).map(([name, value]) => `${name} ${inline(value)}`);
  return [
    `## Turn ${number}${end === undefined ? '' : ` (${escaped(end)})`}`,
    [startedAt, facts.join(', ')].filter((text) => text !== '').join(' · '),
    ...items.map(itemBlock),
    ...(cost === undefined ? [] : [`*Tokens: ${cost}*`]),
  ];
}

function itemBlock(item: RecordedItem): string {
  switch (item.kind) {
    case 'user': {
      const pictures = item.pictures.length === 0 ? [] : [`[${pictureWords(item.pictures)}]`];
      return `**${itemAuthor(item.author)}**\n\n${quoted([...item.texts, ...pictures].join('\n\n'))}`;
    }
    case 'assistant':
      return `**Assistant**${item.phase === undefined ? '' : ` (${escaped(item.phase)})`}\n\n${enclosed(item.text)}`;
    case 'reasoning':
      return folded('Reasoning', quoted(item.text));
    case 'context':
      return folded(`Context: ${item.title}`, fenced(item.text));
    case 'checkpoint':
      return `**Checkpoint**: history was replaced.${item.text === '' ? '' : `\n\n${quoted(item.text)}`}`;
    case 'call':
      return callBlock(item);
  }
}

function callBlock(call: RecordedCall): string {
  const { name, form, input, output } = call;
  const language = { command: 'sh', patch: 'diff', other: '' }[form];
  const report = output === undefined ? undefined : parseCallReport(output.text);
  const end = report === undefined ? '' : callEndAndDuration(report);
  const called = `**Call** ${inline(name)}${end === '' ? '' : ` (${end})`}\n\n${fenced(input, language)}${decidedLines(call)}`;
  if (output === undefined || report === undefined) return `${called}\n\nNo answer was recorded.`;
  const pictures = output.pictures.length === 0 ? '' : ` (${pictureWords(output.pictures)})`;
  if (report.output === '' && pictures === '') return called;
  return `${called}\n\n${folded(`Output${pictures}`, fenced(report.output))}`;
}

const decidedLines = (call: RecordedCall): string =>
  Array.from(questionAndAnswerLines(call), (words) => `\n\n*${escaped(words)}*`).join('');

/** Keeps an answer from affecting what follows: code that it leaves open is closed, and no HTML begins a block. */
function enclosed(text: string): string {
  let open: Fence | undefined;
  const lines = visibleText(text)
    .split('\n')
    .map((line) => {
      if (open === undefined) {
        open = readFence(line);
        return open === undefined ? line.replace(/^( {0,3})</, String.raw`$1\<`) : line;
      }
      if (closesCodeFence(open, line)) open = undefined;
      return line;
    });
  return [...lines, ...(open === undefined ? [] : [open.marks])].join('\n');
}

const folded = (summary: string, body: string): string =>
  `<details><summary>${escapeHtml(summary)}</summary>\n\n${body}\n\n</details>`;

const quoted = (text: string): string =>
  Array.from(visibleText(text).split('\n'), (line) => (line === '' ? '>' : `> ${line}`)).join('\n');

function fenced(text: string, language = ''): string {
  const fence = ticksAround(text, 3);
  return `${fence}${language}\n${visibleText(text).replace(/\n$/, '')}\n${fence}`;
}

function inline(text: string): string {
  const tick = ticksAround(text, 1);
  const space = tick.length > 1 ? ' ' : '';
  return `${tick}${space}${visibleText(text).replaceAll('\n', ' ')}${space}${tick}`;
}

/** A longer run of backticks than any in the text. */
function ticksAround(text: string, least: number): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length + 1), least);
  return '`'.repeat(longest);
}

const escaped = (text: string): string =>
  visibleText(text)
    .replaceAll('\n', ' ')
    .replaceAll(/[\\`*_[\]<>#]/g, (sign) => `\\${sign}`);
