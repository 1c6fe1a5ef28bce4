import { planTags } from '../../../protocol/proposed-plan.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { drawMarkdown } from '../markdown/markdown-stream.ts';
import type { Look } from '../text/look.ts';
import { type SpokenPart, partedRows } from './answer-parts.ts';
import { insideAnswer } from './answer-rows.ts';
import type { Cell } from './cell.ts';

/** What the model wrote. A plan that it proposes stands apart. */
export function answerCell({ text, plan }: Pick<Extract<TurnItem, { kind: 'agent-message' }>, 'text' | 'plan'>): Cell {
  return {
    rows(look) {
      if (plan === undefined) return partedRows([part('prose', text, look)], look);
      const [before, after] = aroundPlan(text);
      return partedRows([part('prose', before, look), part('plan', plan, look), part('prose', after, look)], look);
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
