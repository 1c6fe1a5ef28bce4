import { planTags } from '../../../protocol/proposed-plan.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { drawMarkdown } from '../markdown/markdown-stream.ts';
import { drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { boldStyle, styled } from '../text/style.ts';
import { answerRows, insideAnswer } from './answer-rows.ts';
import type { Cell } from './cell.ts';
import { headRows, stateMark } from './frame.ts';

/** What the model wrote. A plan that it proposes stands apart. */
export function answerCell({ text, plan }: Pick<Extract<TurnItem, { kind: 'agent-message' }>, 'text' | 'plan'>): Cell {
  return {
    rows(look) {
      if (plan === undefined) return proseRows(text, look);
      const [before, after] = aroundPlan(text);
      const parts = [proseRows(before, look), planRows(plan, look), proseRows(after, look)];
      return parts.filter(({ length }) => length > 0).flatMap((rows, at) => (at === 0 ? rows : ['', ...rows]));
    },
  };
}

function proseRows(text: string, look: Look): readonly string[] {
  return text.trim() === '' ? [] : answerRows(drawMarkdown(text, insideAnswer(look)), look);
}

function planRows(plan: string, look: Look): readonly string[] {
  const head = drawRows(headRows(look, stateMark('plain', look), [styled('Proposed Plan', boldStyle)]), look);
  const inside = insideAnswer(look);
  const indent = look.glyphs === 'words' ? 0 : look.width - inside.width;
  const body = drawMarkdown(plan, inside).map((row) => (row === '' ? '' : `${' '.repeat(indent)}${row}`));
  return [...head, '', ...body];
}

function aroundPlan(text: string): readonly [string, string] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.trim() === planTags[0]);
  const to = lines.findIndex((line, at) => at > from && line.trim() === planTags[1]);
  return from < 0 || to < 0 ? [text, ''] : [lines.slice(0, from).join('\n'), lines.slice(to + 1).join('\n')];
}
