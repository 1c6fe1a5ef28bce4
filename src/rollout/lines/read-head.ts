import type { OpenFile } from '../../ports/files.ts';
import { lineType } from '../../protocol/line.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { decodeLine } from './line-codec.ts';
import { splitForward } from './split-lines.ts';

export type Head =
  /** `isFirst`: nothing but blank lines stands before it. */
  | { readonly kind: 'meta'; readonly meta: JsonObject; readonly isFirst: boolean }
  /** Not one whole line: the writer died before its first sync, so nothing in the file was ever acknowledged. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'other' };

/**
 * What the first description in a rollout says. Other programs have left blank lines, bad ones and events before it;
 * words before it mean that it is missing. `longest`: of the lines up to it.
 */
export async function readHead(file: OpenFile, options: { readonly longest?: number } = {}): Promise<Head> {
  let isEmpty = true;
  for await (const block of splitForward(file, options)) {
    for (const { bytes, terminated } of block) {
      const line = decodeLine(bytes);
      if (line === 'blank' || (line === 'bad' && !terminated)) continue;
      const isFirst = isEmpty;
      isEmpty = false;
      if (line === 'bad') continue;
      if (line.type === lineType.sessionMeta) return { kind: 'meta', meta: line.payload, isFirst };
      if (talk.has(line.type)) return { kind: 'other' };
    }
  }
  return { kind: isEmpty ? 'empty' : 'other' };
}

const talk: ReadonlySet<string> = new Set([lineType.responseItem, 'inter_agent_communication']);
