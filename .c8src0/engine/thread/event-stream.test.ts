import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TurnId } from '../../protocol/ids.ts';
import type { ProvisionalEvent } from '../../protocol/thread-event.ts';
import { EventStream, iterateNews, type ThreadNews } from './event-stream.ts';

const turnId = 't' as TurnId;

/** Whatever the pace of the reader: for each item it has a beginning of the text that was sent, and never a hole. */
test('a reader of any pace sees no holes', async () => {
  const piece = fc.record({
    itemId: fc.constantFrom('a', 'b'),
    kind: fc.constantFrom('text' as const, 'output' as const),
    text: fc.string({ minLength: 1, maxLength: 4 }),
    reads: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async (pieces) => {
      const stream = new EventStream();
      const reader = iterateNews(
        () => stream.next(),
        () => {},
      );
      const seen = new Map<string, string>();
      const sent = new Map<string, string>();
      let waiting = 0;
      const take = async (): Promise<void> => {
        const { value } = (await reader.next()) as { value: ThreadNews };
        const { itemId, kind, text } = value as Extract<ProvisionalEvent, { text: string }>;
        const key = `${itemId} ${kind}`;
        seen.set(key, (seen.get(key) ?? '') + text);
        expect(sent.get(key)!.startsWith(seen.get(key)!)).toBe(true);
      };
      const open = new Set<string>();
      for (const { itemId, kind, text, reads } of pieces) {
        const key = `${itemId} ${kind}`;
        sent.set(key, (sent.get(key) ?? '') + text);
        stream.provisional({ provisional: true, turnId, itemId, kind, text });
        open.add(key);
        waiting = open.size;
        for (let i = 0; i < Math.min(reads, waiting); i++) await take();
        if (reads > 0) for (const each of [...open].slice(0, Math.min(reads, waiting))) open.delete(each);
      }
      stream.ended();
      for await (const value of reader) {
        const { itemId, kind, text } = value as Extract<ProvisionalEvent, { text: string }>;
        const key = `${itemId} ${kind}`;
        seen.set(key, (seen.get(key) ?? '') + text);
      }
      expect(seen).toEqual(sent);
    }),
  );
});
