import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';

/** The last thread of a page. Threads of one moment are ordered by their ids, so the two name a place in any list. */
export interface PageEnd {
  readonly time: number;
  readonly id: ThreadId;
}

export function formatCursor({ time, id }: PageEnd): string {
  return `${time}_${id}`;
}

export function parseCursor(text: string): PageEnd | undefined {
  const [, time, uuid = ''] = /^(\d{1,15})_(.+)$/.exec(text) ?? [];
  const id = parseThreadId(uuid);
  return time === undefined || id === undefined ? undefined : { time: Number(time), id };
}
