import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePatch } from './parse-patch.ts';
import type { Chunk, ChunkLine, Hunk, Patch } from './patch.ts';

const wrapped = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const hunks = (text: string) => {
  const parsed = parsePatch(text);
  return parsed.kind === 'parsed' ? parsed.patch.hunks : parsed;
};
const update = (...lines: readonly ChunkLine[]): Hunk => ({
  kind: 'update',
  path: 'f',
  chunks: [{ lines, endOfFile: false }],
});
const remove = (text: string): ChunkLine => ({ kind: 'remove', text });
const add = (text: string): ChunkLine => ({ kind: 'add', text });
const context = (text: string): ChunkLine => ({ kind: 'context', text });

describe('a patch that can be read', () => {
  it('adds, deletes, updates and moves', () => {
    const text = wrapped(
      '*** Add File: new',
      '+one',
      '+',
      '*** Delete File: gone',
      '*** Update File: f',
      '*** Move to: g',
      '@@ class A',
      ' same',
      '-old',
      '+new',
      '@@',
      '-last',
      '*** End of File',
    );
    expect(hunks(text)).toEqual([
      { kind: 'add', path: 'new', lines: ['one', ''] },
      { kind: 'delete', path: 'gone' },
      {
        kind: 'update',
        path: 'f',
        movePath: 'g',
        chunks: [
          { anchor: 'class A', lines: [context('same'), remove('old'), add('new')], endOfFile: false },
          { lines: [remove('last')], endOfFile: true },
        ],
      },
    ]);
  });

  it.each<readonly [string, string, readonly Hunk[]]>([
    ['without its first @@', wrapped('*** Update File: f', '-a'), [update(remove('a'))]],
    [
      'with padded markers',
      ' *** Begin Patch\n\t*** Delete File: f \n*** End Patch\t',
      [{ kind: 'delete', path: 'f' }],
    ],
    [
      'with white space of other scripts',
      '\u3000*** Begin Patch\n*** Delete File: f\n*** End Patch\u0085',
      [{ kind: 'delete', path: 'f' }],
    ],
    ['with Windows line endings', wrapped('*** Update File: f', '-a').replaceAll('\n', '\r\n'), [update(remove('a'))]],
    ['in the lines of a heredoc', `<<'EOF'\n${wrapped('*** Delete File: f')}\nEOF`, [{ kind: 'delete', path: 'f' }]],
    [
      'with an empty line as context',
      wrapped('*** Update File: f', '-a', '', '-b'),
      [update(remove('a'), context(''), remove('b'))],
    ],
    [
      'with an indented marker in its body',
      wrapped('*** Update File: f', '-a', ' *** End Patch', '-b'),
      [update(remove('a'), context('*** End Patch'), remove('b'))],
    ],
    ['with an indented last line', `*** Begin Patch\n*** Update File: f\n-a\n  *** End Patch`, [update(remove('a'))]],
    ['with an empty new file', wrapped('*** Add File: f'), [{ kind: 'add', path: 'f', lines: [] }]],
    [
      'that only moves',
      wrapped('*** Update File: f', '*** Move to: g'),
      [{ kind: 'update', path: 'f', movePath: 'g', chunks: [] }],
    ],
    ['with spaces in a path', wrapped('*** Delete File:  a b '), [{ kind: 'delete', path: ' a b' }]],
    [
      'with blank lines after its end',
      `${wrapped('*** Delete File: f')}\n \n*** End Patch`,
      [{ kind: 'delete', path: 'f' }],
    ],
    ['that does nothing', wrapped(), []],
  ])('%s', (_, text, expected) => {
    expect(hunks(text)).toEqual(expected);
  });

  it('may name its environment', () => {
    expect(parsePatch(wrapped('*** Environment ID: here', '*** Delete File: f'))).toMatchObject({
      patch: { environment: 'here', hunks: [{ kind: 'delete' }] },
    });
  });

  it('never holds half a character', () => {
    expect(hunks(wrapped('*** Update File: f', '-\udc80'))).toEqual([update(remove('\ufffd'))]);
  });
});

describe('a patch that cannot be read', () => {
  const header =
    "is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'";
  const first = "The first line of the patch must be '*** Begin Patch'";
  const last = "The last line of the patch must be '*** End Patch'";
  const marks = "Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)";
  it.each<readonly [string, string, string, number | undefined]>([
    ['is empty', '', last, undefined],
    ['has no start', 'x\n*** End Patch', first, undefined],
    ['has no end', '*** Begin Patch\n*** Delete File: f', last, undefined],
    ['continues after its end', wrapped('*** Delete File: f', '*** End Patch', '*** Delete File: g'), last, undefined],
    ['has a bad heredoc', `<<EOF\nx\n${wrapped()}\nEOF`, first, undefined],
    ['has an unknown header', wrapped('*** Frob File: f'), `'*** Frob File: f' ${header}`, 2],
    ['has a header without a path', wrapped('*** Add File: '), `'*** Add File:' ${header}`, 2],
    ['adds a line without a plus', wrapped('*** Add File: f', '+a', 'b'), `'b' ${header}`, 4],
    ['has a blank line after a deletion', wrapped('*** Delete File: f', ''), `'' ${header}`, 3],
    [
      'updates nothing',
      wrapped('*** Delete File: g', '*** Update File: f'),
      "Update file hunk for path 'f' is empty",
      3,
    ],
    [
      'has only the end of a file',
      wrapped('*** Update File: f', '*** End of File'),
      "Update file hunk for path 'f' is empty",
      2,
    ],
    ['ends with @@', wrapped('*** Update File: f', '@@'), 'Update hunk does not contain any lines', 4],
    [
      'ends a file after @@',
      wrapped('*** Update File: f', '@@', '*** End of File'),
      'Update hunk does not contain any lines',
      4,
    ],
    [
      'has @@ twice',
      wrapped('*** Update File: f', '@@', '@@ a', '-b'),
      `Unexpected line found in update hunk: '@@ a'. ${marks}`,
      4,
    ],
    [
      'has a header after @@',
      wrapped('*** Update File: f', '@@', '*** Delete File: g'),
      `Unexpected line found in update hunk: '*** Delete File: g'. ${marks}`,
      4,
    ],
    [
      'begins a body without a prefix',
      wrapped('*** Update File: f', 'a'),
      `Unexpected line found in update hunk: 'a'. ${marks}`,
      3,
    ],
    [
      'moves twice',
      wrapped('*** Update File: f', '*** Move to: g', '*** Move to: h', '-a'),
      `Unexpected line found in update hunk: '*** Move to: h'. ${marks}`,
      4,
    ],
    [
      'continues without a prefix',
      wrapped('*** Update File: f', '-a', 'b'),
      "Expected update hunk to start with a @@ context marker, got: 'b'",
      4,
    ],
    [
      'continues after the end of the file',
      wrapped('*** Update File: f', '-a', '*** End of File', '+b'),
      "Expected update hunk to start with a @@ context marker, got: '+b'",
      5,
    ],
    [
      'names an empty environment',
      wrapped('*** Environment ID:  '),
      'apply_patch environment_id cannot be empty',
      undefined,
    ],
    [
      'names two environments',
      wrapped('*** Environment ID: a', '*** Environment ID: a'),
      'apply_patch environment_id cannot be specified more than once',
      undefined,
    ],
  ])('%s', (_, text, message, line) => {
    expect(parsePatch(text)).toEqual({ kind: 'problem', message, ...(line === undefined ? {} : { line }) });
  });
});

describe('law', () => {
  it('what is written out is read back', () => {
    fc.assert(
      fc.property(patches, (patch) => {
        expect(parsePatch(written(patch))).toEqual({ kind: 'parsed', patch });
      }),
    );
  });

  it('no text makes the parser fail', () => {
    const piece = fc.constantFrom(
      '*** ',
      'Begin Patch',
      'End Patch',
      'Update File: f',
      'End of File',
      '@@',
      ' ',
      '-',
      '+',
      '\n',
      '\r',
      '\u0085',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(['parsed', 'problem']).toContain(parsePatch(wrapped(pieces.join(''))).kind);
      }),
    );
  });
});

const text = fc.stringMatching(/^[^\r\n]*$/, { maxLength: 8 });
const path = fc.stringMatching(/^[a-z/. ]{0,6}[a-z]$/);
const chunkLine: fc.Arbitrary<ChunkLine> = fc.record({ kind: fc.constantFrom('context', 'remove', 'add'), text });
const chunk: fc.Arbitrary<Chunk> = fc.record(
  {
    anchor: fc.stringMatching(/^[a-z ]{0,4}[a-z]$/),
    lines: fc.array(chunkLine, { minLength: 1, maxLength: 5 }),
    endOfFile: fc.boolean(),
  },
  { requiredKeys: ['lines', 'endOfFile'] },
);
const hunk: fc.Arbitrary<Hunk> = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), path, lines: fc.array(text, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('delete' as const), path }),
  fc.record(
    {
      kind: fc.constant('update' as const),
      path,
      movePath: path,
      chunks: fc.array(chunk, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['kind', 'path', 'chunks'] },
  ),
);
const patches: fc.Arbitrary<Patch> = fc.record({ hunks: fc.array(hunk, { maxLength: 4 }) });

function written({ hunks }: Patch): string {
  return wrapped(
    ...hunks.flatMap((hunk): readonly string[] => {
      if (hunk.kind === 'delete') return [`*** Delete File: ${hunk.path}`];
      if (hunk.kind === 'replace') throw new Error('no patch is written so');
      if (hunk.kind === 'add') return [`*** Add File: ${hunk.path}`, ...hunk.lines.map((line) => `+${line}`)];
      const move = hunk.movePath === undefined ? [] : [`*** Move to: ${hunk.movePath}`];
      return [`*** Update File: ${hunk.path}`, ...move, ...hunk.chunks.flatMap(writtenChunk)];
    }),
  );
}

const prefixes = { context: ' ', remove: '-', add: '+' } as const;

function writtenChunk({ anchor, lines, endOfFile }: Chunk): readonly string[] {
  const body = lines.map(({ kind, text }) => prefixes[kind] + text);
  return [anchor === undefined ? '@@' : `@@ ${anchor}`, ...body, ...(endOfFile ? ['*** End of File'] : [])];
}
