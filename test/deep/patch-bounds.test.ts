import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { computePatch, noGuard } from '../../src/adapters/tools/apply-patch/compute-patch.ts';
import { bytesAsText, applyChunksToText, textAsBytes } from '../../src/adapters/tools/apply-patch/compute-update.ts';
import {
  explainMismatch,
  mostComparisons,
  type SearchableLines,
  SearchEffort,
  toSearchableLines,
  seekLines,
  TooMuchToSearch,
} from '../../src/adapters/tools/apply-patch/seek-lines.ts';
import { absolutePath } from '../../src/adapters/tools/follow-path.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { parsePatch } from '../../src/adapters/tools/apply-patch/parse-patch.ts';
import type { Chunk, Hunk } from '../../src/adapters/tools/apply-patch/patch.ts';
import { anyCharacter } from '../../src/testing/test-inputs.ts';

const root = mkdtempSync(join(tmpdir(), 'capstan-patch-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The lines with a count of how often one of them is looked at. */
function counted(lines: readonly string[]): { readonly lines: SearchableLines; readonly looks: () => number } {
  let looks = 0;
  const searched = toSearchableLines(lines);
  const watch = (numbers: readonly number[]): readonly number[] =>
    new Proxy(numbers, {
      get(target, key) {
        if (typeof key === 'string' && /^\d/.test(key)) looks += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
  return {
    looks: () => looks,
    lines: {
      ...searched,
      numbered: (pass) => ({ ...searched.numbered(pass), numbers: watch(searched.numbered(pass).numbers) }),
    },
  };
}

const repeat = (line: string, times: number): string[] => Array<string>(times).fill(line);
const passes = 4;

describe('looking for the lines of a chunk', () => {
  const size = 4000;
  test.each([
    ['equal lines and an end that differs', repeat('a', size), [...repeat('a', size / 2), 'b', 'a']],
    ['a pattern that almost repeats', [...repeat('a', size), 'b'], [...repeat('a', size / 2), 'c', 'b']],
    [
      'beginnings of beginnings',
      Array.from({ length: size }, (_, at) => (at % 7 === 0 ? 'b' : 'a')),
      [...Array.from({ length: size / 2 }, (_, at) => (at % 7 === 0 ? 'b' : 'a')), 'b', 'b'],
    ],
    ['blanks that differ in every pass', repeat(' a ', size), [...repeat('a', size / 2), 'b']],
  ])('takes a number of looks that grows with the lines and not with their product: %s', (_name, file, pattern) => {
    const { lines, looks } = counted(file.includes('b') ? file : [...file, 'b']);
    const effort = new SearchEffort();
    seekLines(lines, pattern, { from: 0, atEnd: false, effort });
    // Each line of the file is compared at most twice in each pass, and looked at once more to be counted in.
    expect(looks()).toBeLessThanOrEqual(passes * 3 * (file.length + 1));
    expect(effort.spent).toBeLessThanOrEqual(passes * (file.length + 1024 + pattern.length));
  });

  test('finds what a search of every place finds', () => {
    const line = fc.constantFrom('a', 'b', ' a', 'a ', '');
    const lists = fc.tuple(
      fc.array(line, { maxLength: 12 }),
      fc.array(line, { minLength: 1, maxLength: 4 }),
      fc.nat(4),
    );
    const forms = [(text: string) => text, (text: string) => text.trimEnd(), (text: string) => text.trim()];
    fc.assert(
      fc.property(lists, fc.boolean(), ([file, pattern, from], atEnd) => {
        const last = file.length - pattern.length;
        const first = atEnd ? Math.max(from, last) : from;
        let expected: number | undefined;
        for (const form of forms) {
          for (let at = first; at <= last && expected === undefined; at++) {
            if (pattern.every((text, offset) => form(file[at + offset]!) === form(text))) expected = at;
          }
        }
        expect(seekLines(toSearchableLines(file), pattern, { from, atEnd, effort: new SearchEffort() })).toBe(expected);
      }),
      { numRuns: 500 * inject('runFactor') },
    );
  });

  test('many chunks that each search the whole file stop at the budget of the patch', () => {
    const file = [...Array.from({ length: 40_000 }, () => ['x', 'z', 'y', 'z']).flat(), 'x ', 'y '];
    const chunk: Chunk = {
      lines: [
        { kind: 'context', text: 'x' },
        { kind: 'remove', text: 'y' },
      ],
      endOfFile: false,
    };
    const effort = new SearchEffort();
    expect(() =>
      applyChunksToText(
        file.join('\n'),
        Array.from({ length: 50_000 }, () => ({ ...chunk, anchor: 'x' })),
        effort,
      ),
    ).not.toThrow(RangeError);
    const lines = toSearchableLines(file);
    const search = (): void => {
      for (let at = 0; at < 50_000; at++) seekLines(lines, ['x', 'y'], { from: 0, atEnd: false, effort });
    };
    expect(search).toThrow(TooMuchToSearch);
    expect(effort.spent).toBeLessThanOrEqual(mostComparisons + file.length);
  });

  test('a chunk with more lines than a call takes arguments is applied', () => {
    const lines = Array.from({ length: 300_000 }, (_, at) => String(at));
    const chunk: Chunk = { lines: lines.map((text) => ({ kind: 'context', text })), endOfFile: false };
    const text = `${lines.join('\n')}\n`;
    expect(applyChunksToText(text, [chunk], new SearchEffort())).toEqual({ kind: 'updated', text, places: [0] });
  });

  test('an explanation of what does not fit gives up in time', () => {
    const fileLines = repeat('a', 400_000);
    expect(explainMismatch({ fileLines, expected: [...repeat('a', 200_000), 'b'], atEnd: false })).toBeUndefined();
  });
});

describe('a patch', () => {
  const compute = (hunks: readonly Hunk[]) =>
    computePatch({ hunks }, { folder: root, disk: nodeDisk(), guard: noGuard });
  const update = (path: string): Hunk => ({
    kind: 'update',
    path,
    chunks: [{ lines: [{ kind: 'remove', text: 'x' }], endOfFile: false }],
  });

  test('does not read a file of 10 GB, nor one that only says that it is small', () => {
    writeFileSync(join(root, 'huge'), '');
    truncateSync(join(root, 'huge'), 10 * 1024 ** 3);
    expect(compute([update('huge')])).toMatchObject({ kind: 'unfit', message: expect.stringContaining('16 MB') });
    expect(compute([{ kind: 'add', path: 'huge', lines: [] }])).toMatchObject({ kind: 'unfit' });
  });

  test('does not keep more of files than fits into memory', () => {
    const hunks = Array.from({ length: 6 }, (_, at) => {
      writeFileSync(join(root, `large${at}`), `x\n${'y'.repeat(15 * 1024 * 1024)}`);
      return update(`large${at}`);
    });
    expect(compute(hunks)).toMatchObject({ kind: 'unfit', message: expect.stringContaining('64 MB') });
  });

  test('does not cut a file into millions of lines', () => {
    writeFileSync(join(root, 'lines'), '\n'.repeat(1_000_001));
    expect(compute([update('lines')])).toMatchObject({ kind: 'unfit', message: expect.stringContaining('lines') });
  });

  test('has a limit of its own, of its files and of their paths', () => {
    expect(parsePatch('x'.repeat(8 * 1024 * 1024 + 1))).toMatchObject({ kind: 'problem' });
    expect(compute(Array.from({ length: 5001 }, (): Hunk => ({ kind: 'delete', path: 'gone' })))).toMatchObject({
      kind: 'unfit',
    });
    expect(absolutePath('/', 'a/'.repeat(500_000))).toBeUndefined();
    expect(compute([{ kind: 'add', path: 'a/'.repeat(500_000), lines: [] }])).toMatchObject({ kind: 'unfit' });
  });

  test('says that a search took too long, and nothing is changed', () => {
    mkdirSync(join(root, 'slow'));
    const file = Array.from({ length: 200_000 }, (_, at) => (at % 2 === 0 ? 'x' : 'z'));
    writeFileSync(join(root, 'slow/a'), [...file, 'x', 'y '].join('\n'));
    // Each of these has to look through all of the file before the looser pass finds it at its end.
    const hunk: Hunk = {
      kind: 'update',
      path: 'slow/a',
      chunks: [
        {
          lines: [
            { kind: 'context', text: 'x' },
            { kind: 'context', text: 'y ' },
          ],
          endOfFile: false,
        },
      ],
    };
    const hunks = Array.from({ length: 200 }, () => hunk);
    expect(compute(hunks)).toMatchObject({ kind: 'unfit', message: expect.stringContaining('takes too long') });
  });
});

describe('bytes that are no UTF-8', () => {
  test('come through whatever they are, and what is UTF-8 is read as such', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.string({ unit: anyCharacter, maxLength: 3 }).map((text) => Buffer.from(text.toWellFormed())),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const bytes = Buffer.concat(pieces);
        const text = bytesAsText(bytes);
        expect(Buffer.from(textAsBytes(text))).toEqual(bytes);
        expect(text.toWellFormed().replaceAll('\ufffd', '')).toBe(bytes.toString('utf8').replaceAll('\ufffd', ''));
      }),
      { numRuns: 750 * inject('runFactor') },
    );
  });
});
