import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chunk, ChunkLine } from './patch.ts';
import { SearchEffort } from './seek-lines.ts';
import { bytesAsText, textAsBytes, applyChunksToBytes } from './compute-update.ts';

const change = (from: string, to: string): readonly Chunk[] => [
  { lines: [{ kind: 'remove', text: from } satisfies ChunkLine, { kind: 'add', text: to }], endOfFile: false },
];
const updated = (content: Buffer, chunks: readonly Chunk[]) => {
  const result = applyChunksToBytes(content, chunks, new SearchEffort());
  return result.kind === 'updated' ? Buffer.from(result.content) : result;
};

describe('bytes as text', () => {
  it('come back as they were, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(Buffer.from(textAsBytes(bytesAsText(bytes)))).toEqual(Buffer.from(bytes));
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom('c3', 'a9', 'ed', 'a0', '80', 'f0', '9f', '98', '61', 'ff')), (hex) => {
        const bytes = Buffer.from(hex.join(''), 'hex');
        expect(Buffer.from(textAsBytes(bytesAsText(bytes)))).toEqual(bytes);
      }),
    );
  });
});

describe('a file in another encoding', () => {
  const latin = Buffer.from('caf\xe9\nplain\nna\xefve\n', 'latin1');

  it('keeps the bytes of lines that are not replaced', () => {
    expect(updated(latin, change('plain', 'PLAIN'))).toEqual(Buffer.from('caf\xe9\nPLAIN\nna\xefve\n', 'latin1'));
  });

  it('is not given characters in a second encoding', () => {
    expect(updated(latin, change('plain', 'caf\u00e9'))).toMatchObject({ kind: 'encoding' });
  });

  it('is not touched when it has zero bytes', () => {
    const wide = Buffer.from('\ufeffplain\n', 'utf16le');
    expect(updated(wide, [{ lines: [{ kind: 'add', text: 'x' }], endOfFile: false }])).toMatchObject({
      kind: 'encoding',
    });
  });

  it('has no line that a replacement character fits', () => {
    expect(updated(latin, change('caf\ufffd', 'x'))).toMatchObject({ kind: 'lines-not-found' });
  });
});

describe('a byte order mark', () => {
  it('is no part of the first line, and stays', () => {
    expect(updated(Buffer.from('\ufeffa\nb\n'), change('a', 'A'))).toEqual(Buffer.from('\ufeffA\nb\n'));
  });

  it('is part of it for a patch that spells it', () => {
    expect(updated(Buffer.from('\ufeffa\nb\n'), change('\ufeffa', 'A'))).toEqual(Buffer.from('A\nb\n'));
  });
});
