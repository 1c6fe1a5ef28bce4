import type { OpenFile } from '../ports/files.ts';
import { lineType } from '../protocol/line.ts';
import type { JsonObject } from '../protocol/json.ts';
import { decodeLine } from './line-codec.ts';
import { splitForward } from './split-lines.ts';

export type Head =
  | { readonly kind: 'meta'; readonly meta: JsonObject }
  /** Not one whole line: the writer died before its first sync, so nothing in the file was ever acknowledged. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'other' };

/** What the first line of a rollout says. Blank lines before it do not count. */
export async function readHead(file: OpenFile): Promise<Head> {
  for await (const block of splitForward(file)) {
    for (const { bytes, terminated } of block) {
      const line = decodeLine(bytes);
      if (line === 'blank') continue;
      if (line === 'bad') return { kind: terminated ? 'other' : 'empty' };
      return line.type === lineType.sessionMeta ? { kind: 'meta', meta: line.payload } : { kind: 'other' };
    }
  }
  return { kind: 'empty' };
}
