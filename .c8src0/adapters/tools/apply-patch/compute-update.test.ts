import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChunksToText } from './compute-update.ts';
import { SearchEffort } from './seek-lines.ts';
import { parsePatch } from './parse-patch.ts';
import type { Chunk, ChunkLine } from './patch.ts';

const chunksOf = (...lines: readonly string[]): readonly Chunk[] => {
  const parsed = parsePatch(['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch'].join('\n'));
  if (parsed.kind !== 'parsed' || parsed.patch.hunks[0]?.kind !== 'update') throw new Error('no update');
  return parsed.patch.hunks[0].chunks;
};
const updated = (text: string, ...lines: readonly string[]) => {
  const result = applyChunksToText(text, chunksOf(...lines), new SearchEffort());
  return result.kind === 'updated' ? result.text : result;
};

describe('computeUpdate', () => {
  it('replaces, adds and removes around what it does not touch', () => {
    expect(updated('a\nb\nc\n', '@@', '+first', ' a', '-b', '+B', '+BB', ' c', '+last')).toBe(
      'first\na\nB\nBB\nc\nlast\n',
    );
    expect(updated('a\nb\n', '@@', '-a', '-b')).toBe('');
  });

  it('keeps the endings of the lines that stay and gives new lines the first one of the file', () => {
    expect(updated('one\r\ntwo\rthree\nfour\r\n', '@@', ' one', ' two', '-three', '+THREE', ' four')).toBe(
      'one\r\ntwo\rTHREE\r\nfour\r\n',
    );
    expect(updated('a\rb\rc', '@@', '-b', '+B', '+BB')).toBe('a\rB\rBB\rc\r');
  });

  it('ends the last line', () => {
    expect(updated('a', '@@', ' a')).toBe('a\n');
    expect(updated('a\r\nb', '@@', ' b', '+c')).toBe('a\r\nb\r\nc\r\n');
  });

  it('keeps lines that were matched loosely as they are in the file', () => {
    expect(updated('  a \u2014 b\t\nold\n', '@@', ' a - b', '-old', '+new')).toBe('  a \u2014 b\t\nnew\n');
  });

  it('looks for each chunk after the one before it', () => {
    expect(updated('a\nb\na\nb\n', '@@', '-a', '+1', '@@', '-a', '+2')).toBe('1\nb\n2\nb\n');
    expect(updated('a\nb\n', '@@', '-b', '@@', '-a')).toMatchObject({ kind: 'lines-not-found', expected: ['a'] });
  });

  it('starts after the line that @@ names', () => {
    expect(updated('x\nf1\nx\nf2\nx\n', '@@ f1', '-x', '+y')).toBe('x\nf1\ny\nf2\nx\n');
    expect(updated('x\n', '@@ gone', '-x')).toEqual({ kind: 'anchor-not-found', anchor: 'gone' });
  });

  it('adds lines without neighbours after their anchor, at the end without one', () => {
    expect(updated('a\nb\n', '@@', '+c')).toBe('a\nb\nc\n');
    expect(updated('a\nb\n', '@@ a', '+c')).toBe('a\nc\nb\n');
    expect(updated('a\nb\n', '@@ a', '+c', '*** End of File')).toBe('a\nb\nc\n');
    expect(updated('', '@@', '+c')).toBe('c\n');
  });

  it('holds a chunk for the end of the file to it', () => {
    expect(updated('a\nb\na\n', '@@', '-a', '+z', '*** End of File')).toBe('a\nb\nz\n');
    expect(updated('a\nb\n', '@@', '-a', '*** End of File')).toMatchObject({ kind: 'lines-not-found', atEnd: true });
  });

  it('takes an empty line that is not there for the end of the text', () => {
    expect(updated('a\nb\n', '@@', '-b', '+B', '')).toBe('a\nB\n');
    expect(updated('a\nb\n', '@@', ' b', ' ', '+c')).toBe('a\nb\n\nc\n');
  });
});

describe('law', () => {
  const line = fc.constantFrom('a', 'b', ' a', '', '}', 'x\u2014y');
  const file = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((text) => `${text}\n`).join(''));

  it('a difference of two files turns the one into the other', () => {
    fc.assert(
      fc.property(file, file, (before, after) => {
        fc.pre(before !== '' || after !== '');
        const lines = difference(linesOf(before), linesOf(after));
        expect(applyChunksToText(before, [{ lines, endOfFile: false }], new SearchEffort())).toMatchObject({
          kind: 'updated',
          text: after,
        });
      }),
    );
  });

  it('so do small chunks of it when no two lines are alike', () => {
    const numbered = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(numbered, fc.nat({ max: 3 }), (changes, around) => {
        const before = changes.map((_, index) => `line ${index}\n`).join('');
        const after = changes.map((changed, index) => (changed ? `new ${index}\n` : `line ${index}\n`)).join('');
        const chunks = changes.flatMap((changed, index): readonly Chunk[] => {
          if (!changed) return [];
          // Context only where no other chunk has been: chunks must not overlap.
          const head = changes.slice(Math.max(0, index - around), index).some(Boolean) ? 0 : Math.min(around, index);
          const context = Array.from({ length: head }, (_, i): ChunkLine => ({
            kind: 'context',
            text: `line ${index - head + i}`,
          }));
          const lines: readonly ChunkLine[] = [
            ...context,
            { kind: 'remove', text: `line ${index}` },
            { kind: 'add', text: `new ${index}` },
          ];
          return [{ lines, endOfFile: false }];
        });
        expect(applyChunksToText(before, chunks, new SearchEffort())).toMatchObject({ kind: 'updated', text: after });
      }),
    );
  });

  it('context alone changes nothing but a missing last ending', () => {
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    const mixed = fc.array(fc.tuple(fc.constantFrom('a', ' b', '\u201cc\u201d'), ending), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(mixed, fc.boolean(), (lines, ended) => {
        const whole = lines.map(([text, end]) => text + end).join('');
        const last = lines.at(-1)![1];
        const before = ended ? whole : whole.slice(0, -last.length);
        const first = (ended ? lines : lines.slice(0, -1)).at(0)?.[1] ?? '\n';
        const chunk: Chunk = {
          lines: lines.map(([text]) => ({ kind: 'context', text: text.trim() })),
          endOfFile: false,
        };
        expect(applyChunksToText(before, [chunk], new SearchEffort())).toMatchObject({
          kind: 'updated',
          text: ended ? whole : before + first,
        });
      }),
    );
  });
});

function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}

/** The whole of both files as one chunk: the longest lines in common are its context. */
function difference(before: readonly string[], after: readonly string[]): readonly ChunkLine[] {
  const [[a, ...moreBefore], [b, ...moreAfter]] = [before, after];
  if (a === undefined) return after.map((text) => ({ kind: 'add', text }));
  if (b === undefined) return before.map((text) => ({ kind: 'remove', text }));
  if (a === b) return [{ kind: 'context', text: a }, ...difference(moreBefore, moreAfter)];
  const next = after.indexOf(a);
  if (next < 0) return [{ kind: 'remove', text: a }, ...difference(moreBefore, after)];
  return [{ kind: 'add', text: b }, ...difference(before, moreAfter)];
}
