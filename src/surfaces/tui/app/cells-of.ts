import type { TurnItem } from '../../../protocol/turn-item.ts';
import type { Cell } from '../cells/cell.ts';
import { MarkdownStream } from '../markdown/markdown-stream.ts';
import { clean } from '../text/clean.ts';
import { drawRows } from '../text/draw-row.ts';
import { elapsedWords } from '../text/elapsed.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { badStyle, boldStyle, dimStyle, plain, type Row, type Style, styled, warnStyle } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/** A message of the model that is arriving. */
export interface GrowingMessage extends Cell {
  append(text: string): void;
  /** Nothing more comes. `text`: what it says in the end. */
  end(text?: string): void;
  stableRows(look: Look): readonly string[];
}

export function messageStream(): GrowingMessage {
  let stream = new MarkdownStream();
  let seen = '';
  const indented = (rows: readonly string[], look: Look): readonly string[] =>
    rows.map((row, at) => `${at === 0 ? `${glyphsOf(look).bullet} ` : row === '' ? '' : '  '}${row}`);
  const narrow = (look: Look): Look => ({ ...look, width: Math.max(1, look.width - 2) });
  return {
    append(text) {
      seen += text;
      stream.append(text);
    },
    end(text) {
      if (text !== undefined && text !== seen) {
        stream = new MarkdownStream();
        stream.append(text);
      }
      stream.end();
    },
    stableRows: (look) => indented(stream.stableRows(narrow(look)), look),
    rows: (look) => indented(stream.rows(narrow(look)), look),
  };
}

function textCell(rows: (look: Look) => readonly Row[]): Cell {
  return { rows: (look) => drawRows(rows(look), look) };
}

function lines(text: string, look: Look, first: Row, style: Style = {}): readonly Row[] {
  return clean(text)
    .split('\n')
    .flatMap((line, at) => wrapRow([styled(line, style)], { width: look.width, first: at === 0 ? first : [plain('  ')], rest: [plain('  ')] }));
}

export function noticeOf(text: string, level: 'info' | 'warning' | 'error'): Cell {
  return textCell((look) => {
    const { bullet, warning, error } = glyphsOf(look);
    if (level === 'info') return lines(text, look, [styled(`${bullet} `, dimStyle)]);
    const [sign, style] = level === 'warning' ? [warning, warnStyle] : [error, badStyle];
    return lines(text, look, [styled(`${sign} `, style)], style);
  });
}

export function turnEndCell(durationMs: number, at: number): Cell {
  const time = new Date(at).toTimeString().slice(0, 5);
  return textCell((look) => [[styled(`  Worked for ${elapsedWords(durationMs)} ${glyphsOf(look).dot} ${time}`, dimStyle)]]);
}

export function itemCell(item: TurnItem, _since: number | undefined): Cell {
  return textCell((look) => {
    const { prompt, bullet } = glyphsOf(look);
    switch (item.kind) {
      case 'user-message':
        return lines(item.text, look, [styled(`${prompt} `, boldStyle)]);
      case 'command': {
        const head = item.status === 'in-progress' ? 'Running' : 'Ran';
        return [...lines(`${head} ${item.argv.at(-1) ?? ''}`, look, [plain(`${bullet} `)], boldStyle), ...lines(item.output, look, [plain('  ')], dimStyle).slice(0, 5)];
      }
      case 'agent-message':
        return lines(item.text, look, [plain(`${bullet} `)]);
      default:
        return lines(item.kind, look, [plain(`${bullet} `)]);
    }
  });
}

export function userCommandCell(item: TurnItem, since: number | undefined): Cell {
  return itemCell(item, since);
}
