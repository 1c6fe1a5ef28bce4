import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { prepareForAppend } from './continue-rollout.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const path = '/rollout';
const time = '2026-11-15T00:00:00.000Z';
const lastTime = Date.parse(time);

const meta = (payload: JsonObject, ordinal = 0): string =>
  `{"timestamp":"${time}","ordinal":${ordinal},"type":"session_meta","payload":${JSON.stringify(payload)}}\n`;
const described = { id, history_mode: 'paginated' };
const head = meta(described);
const line = (ordinal: number | string): string =>
  `{"timestamp":"${time}","ordinal":${ordinal},"type":"event_msg","payload":{"text":"é🙂"}}\n`;
const bare = (text: string): string => text.slice(0, -1);

async function opened(before: string | Uint8Array) {
  const disk = new SimulatedDisk();
  const file = await disk.open(path, { create: true, mode: 0o600 });
  await file.append(Buffer.from(before));
  const tail = await prepareForAppend(file, { id, path });
  const after = Buffer.from(disk.contents(path) ?? []).toString();
  return { tail, after };
}

async function refusedUnchanged(before: string): Promise<string> {
  const { tail, after } = await opened(before);
  expect(after).toBe(before);
  if (tail.kind !== 'refused') throw new Error(`opened, next is ${tail.nextOrdinal}`);
  expect(tail.message).toContain(path);
  expect(tail.next).not.toBe('');
  return tail.code;
}

describe('opening the tail of a rollout', () => {
  test('continues after the last ordinal', async () => {
    const text = head + line(1) + line(2);
    const { tail, after } = await opened(text);
    expect(tail).toEqual({
      kind: 'tail',
      meta: described,
      nextOrdinal: 3,
      newest: { ordinal: 2, timestamp: time },
      lastTime,
      size: Buffer.byteLength(text),
      skipped: 0,
    });
    expect(after).toBe(text);
  });

  test('continues after the first line alone, where a fork starts at the cut', async () => {
    const text = meta({ id, history_mode: 'paginated', history_base: {} }, 23);
    const { tail } = await opened(text);
    expect(tail).toMatchObject({ nextOrdinal: 24, newest: undefined });
  });

  test('accepts gaps', async () => {
    expect((await opened(head + line(4))).tail).toMatchObject({ nextOrdinal: 5 });
  });

  test('gives a whole last line its newline', async () => {
    const text = head + line(5);
    const { tail, after } = await opened(bare(text));
    expect(after).toBe(text);
    expect(tail).toEqual({
      kind: 'tail',
      meta: described,
      nextOrdinal: 6,
      newest: { ordinal: 5, timestamp: time },
      lastTime,
      size: Buffer.byteLength(text),
      skipped: 0,
    });
    expect((await opened(bare(head))).after).toBe(head);
  });

  test('cuts half a line off and says how much it was', async () => {
    const text = head + line(4);
    for (const torn of ['{"timestamp":"2026', '\0\0\0', ' ', '{"type":"x"}', bare(bare(line(5)))]) {
      const { tail, after } = await opened(text + torn);
      expect(after).toBe(text);
      const bytes = Buffer.byteLength(torn);
      const size = Buffer.byteLength(text);
      expect(tail).toEqual({
        kind: 'tail',
        meta: described,
        nextOrdinal: 5,
        newest: { ordinal: 4, timestamp: time },
        lastTime,
        size,
        skipped: 0,
        torn: { bytes },
      });
    }
  });

  test('cuts inside a character and across blocks', async () => {
    const text = Buffer.from(head + line(1));
    const long = Buffer.from(line(2).replace('🙂', '🙂'.repeat(50_000)));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: long.length - 2 }), async (cut) => {
        const { tail, after } = await opened(Buffer.concat([text, long.subarray(0, cut)]));
        expect(after).toBe(text.toString());
        expect(tail).toMatchObject({ nextOrdinal: 2, torn: { bytes: cut } });
      }),
      { numRuns: 30 },
    );
  });

  test('skips bad lines, blank lines and lines without an ordinal', async () => {
    const text = `${head}${line(7)}{"half\n\n${line('"8"')}null\n`;
    const { tail, after } = await opened(text);
    expect(after).toBe(text);
    expect(tail).toMatchObject({ nextOrdinal: 8, skipped: 2 });
  });

  test('takes the latest of the times that it passes', async () => {
    const later = '{"timestamp":"2026-11-15T00:00:09.000Z","type":"x","payload":{}}\n';
    const never = '{"timestamp":"never","type":"x","payload":{}}\n';
    expect((await opened(head + line(1) + later + never)).tail).toMatchObject({ lastTime: lastTime + 9000 });
  });
});

describe('a rollout is refused, unchanged,', () => {
  test('when its mode is unknown', async () => {
    expect(await refusedUnchanged(meta({ id, history_mode: 'scrolled' }))).toBe('thread-unreadable');
  });

  test('when it does not start with its own description', async () => {
    for (const text of ['', '\n', bare(bare(head)), '\0'.repeat(40)]) {
      expect(await refusedUnchanged(text)).toBe('thread-unknown');
    }
    for (const text of [`{"half\n${head}`, line(0) + head]) {
      expect(await refusedUnchanged(text)).toBe('thread-unreadable');
    }
    const other = meta({ id: '01a1dcd3-eee5-7d53-9563-000000000000', history_mode: 'paginated' });
    expect(await refusedUnchanged(other)).toBe('thread-unreadable');
    expect(await refusedUnchanged(meta({ history_mode: 'paginated' }))).toBe('thread-unreadable');
  });

  test('when no line has an ordinal', async () => {
    const text = head.replace('"ordinal":0,', '');
    expect(await refusedUnchanged(text)).toBe('thread-unreadable');
  });

  test('when its ordinals are used up', async () => {
    for (const ordinal of ['18446744073709551615', String(Number.MAX_SAFE_INTEGER), '9007199254740993']) {
      expect(await refusedUnchanged(`${head}${line(ordinal)}{"half`)).toBe('thread-unreadable');
    }
  });

  test('when the history of its parent is not all there', async () => {
    const child = meta({ id, history_mode: 'paginated', subagent_history_start_ordinal: 4 });
    expect(await refusedUnchanged(child + line(2))).toBe('thread-unreadable');
    expect((await opened(child + line(3))).tail).toMatchObject({ nextOrdinal: 4 });
  });
});
