import { planTags } from '../../../protocol/proposed-plan.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { drawMarkdown } from '../markdown/markdown-stream.ts';
import { MarkdownText } from '../markdown/markdown-text.ts';
import type { Look } from '../text/look.ts';
import { type SpokenPart, partedRows } from './answer-parts.ts';
import { answerRows, insideAnswer } from './answer-rows.ts';
import type { Cell } from './cell.ts';

/** What the model wrote. A plan that it proposes stands apart. */
export function answerCell({ text, plan }: Pick<Extract<TurnItem, { kind: 'agent-message' }>, 'text' | 'plan'>): Cell {
  if (plan === undefined) return proseCell(text);
  return {
    rows(look) {
      const [before, after] = aroundPlan(text);
      return partedRows([part('prose', before, look), part('plan', plan, look), part('prose', after, look)], look);
    },
  };
}

function proseCell(text: string): Cell {
  let read: MarkdownText | undefined;
  return {
    rows: (look) => partedRows([part('prose', text, look)], look),
    lastRows(look, least) {
      read ??= new MarkdownText(text.trim() === '' ? '' : text);
      const { rows, isAll } = read.lastRows(insideAnswer(look), least);
      return { rows: answerRows(rows, look, isAll ? 0 : 1), isAll };
    },
  };
}

function part(kind: SpokenPart['kind'], text: string, look: Look): SpokenPart {
  return { kind, rows: text.trim() === '' ? [] : drawMarkdown(text, insideAnswer(look)) };
}

function aroundPlan(text: string): readonly [string, string] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.trim() === planTags[0]);
  const to = lines.findIndex((line, at) => at > from && line.trim() === planTags[1]);
  return from < 0 || to < 0 ? [text, ''] : [lines.slice(0, from).join('\n'), lines.slice(to + 1).join('\n')];
}
