import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Ordinal } from '../../../protocol/ids.ts';
import { nodeFiles } from './node-files.ts';
import { withOpenFile } from './whole-files.ts';
import { readRolloutLines, readRolloutLinesBack } from '../lines/read-lines.ts';
import { openCompressed } from './compressed-rollouts.ts';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

function fileOf(bytes: Buffer, params: Readonly<Record<number, number>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-compressed-'));
  folders.push(folder);
  const path = join(folder, 'rollout.jsonl.zst');
  writeFileSync(path, zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1, ...params } }));
  return path;
}

const line = (text: string): string => `${JSON.stringify({ timestamp: '', type: 't', payload: { text } })}\n`;
const mega = 1024 * 1024;

/** The texts of the lines, and what the report says of the others. */
async function linesOf(lines: ReturnType<typeof readRolloutLines>): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return [...found, next.value];
    found.push((next.value.payload as { text: string }).text.length);
  }
}

describe('a compressed rollout', () => {
  test('is read in any place, however often more than what is held lies between', async () => {
    // The newest 32 MB are held.
    const size = 40 * mega;
    const bytes = Buffer.from(new Uint32Array(size / 4).map((_, index) => index).buffer);
    await withOpenFile(openCompressed(nodeFiles, fileOf(bytes)), async (file) => {
      const places = [35 * mega, 5, mega - 1, size - mega, 2 * mega + 7, 0, size - 3, size, size + mega];
      for (const [index, at] of places.entries()) {
        const known = index < 4 ? undefined : await file.size();
        expect(known ?? size).toBe(size);
        const found = Buffer.from(await file.read(at, 2 * mega));
        expect(found.equals(bytes.subarray(at, at + 2 * mega))).toBe(true);
      }
      const many = await file.read(mega, 34 * mega);
      expect(bytes.subarray(mega, 35 * mega).equals(many)).toBe(true);
    });
  });

  test.each([
    ['in the middle', true],
    ['at the end, where it does not end', false],
  ])('has its other lines although one is too long, %s', async (_where, isTerminated) => {
    const before = line('one') + line('x'.repeat(3 * mega));
    const long = Buffer.alloc(33 * mega, 'y');
    const bytes = Buffer.concat([Buffer.from(before), long, Buffer.from(isTerminated ? `\n${line('three')}` : '')]);
    const report = { skipped: 1, tooLong: [{ start: before.length, end: before.length + long.length }] };
    const rest = isTerminated ? [5] : [];
    await withOpenFile(openCompressed(nodeFiles, fileOf(bytes)), async (file) => {
      expect(await linesOf(readRolloutLines(file, { from: 0 as Ordinal }))).toEqual([3, 3 * mega, ...rest, report]);
      expect(await linesOf(readRolloutLinesBack(file))).toEqual([...rest, 3 * mega, 3, report]);
    });
  });

  test('may have a long line where that is not the work of compression', async () => {
    const words = Buffer.alloc(17 * mega);
    let random = 1;
    for (let at = 0; at < words.length; at += 4) {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      words.writeUInt32LE(random, at);
    }
    // Pictures are written like this.
    const text = words.toString('hex');
    const path = fileOf(Buffer.from(line('one') + line(text)));
    await withOpenFile(openCompressed(nodeFiles, path), async (file) => {
      expect(await linesOf(readRolloutLines(file, { from: 0 as Ordinal }))).toEqual([3, text.length, { skipped: 0 }]);
    });
  });

  test('that wants much memory is refused', async () => {
    const path = fileOf(Buffer.alloc(20 * mega, line('one')), { [constants.ZSTD_c_windowLog]: 27 });
    await withOpenFile(openCompressed(nodeFiles, path), async (file) => {
      await expect(file.size()).rejects.toThrow('cannot be unpacked');
    });
  });
});
