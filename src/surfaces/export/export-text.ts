import { extname } from 'node:path';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import { rolloutFileName } from '../engine/rollout-name.ts';
import { exportPage } from './export-page.ts';
import { flatLines } from './flat-lines.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';

export type ExportFormat = 'jsonl' | 'markdown' | 'html';

export interface ExportedThread {
  readonly id: ThreadId;
  readonly lines: readonly Line[];
}

const endings = { jsonl: '.jsonl', markdown: '.md', html: '.html' } as const;

/** By how the name of the file ends. */
export function exportFormatOf(path: string): ExportFormat {
  const ending = extname(path).toLowerCase();
  return (['markdown', 'html'] as const).find((format) => endings[format] === ending) ?? 'jsonl';
}

/** `name`: what the user calls the thread. */
export function exportText({ id, lines }: ExportedThread, format: ExportFormat, name: string | undefined): string {
  if (format !== 'jsonl') {
    return { markdown: markdownOf, html: htmlOf }[format](exportPage({ id, ...defined({ name }) }, lines));
  }
  const flat = flatLines(lines, id).map((line) => `${JSON.stringify(line)}\n`);
  return flat.join('');
}

/** The name of its file where the user gives none. */
export function exportFileName({ id, lines }: ExportedThread, format: ExportFormat): string {
  const startedAt = Date.parse(String(lines[0]?.payload['timestamp'] ?? lines[0]?.timestamp));
  return rolloutFileName(id, startedAt).replace(/\.jsonl$/, endings[format]);
}
