import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentsMdFragment } from '../../core/world/sections/instructions.ts';
import { renderFragment } from '../../core/fragments/text/define-fragment.ts';
import { composeInstructions, instructionByteLimit, type InstructionText } from './instruction-files.ts';

function file(path: string, text: string): InstructionText {
  const bytes = Buffer.from(text);
  return { path, bytes, size: bytes.length };
}

/** As in a large window. */
const mostBytes = instructionByteLimit(1_000_000);

function compose(project: readonly InstructionText[], maxBytes: number) {
  return composeInstructions({ project, maxBytes, mostBytes, cwd: '/repo' });
}

test('personal and project text, in that order', () => {
  const personal = file('/home/AGENTS.md', '\nmine\n');
  const project = [file('/repo/AGENTS.md', 'root\n'), file('/repo/sub/AGENTS.md', 'sub')];
  expect(composeInstructions({ personal, project, maxBytes: 100, mostBytes, cwd: '/repo/sub' })).toEqual({
    document: { directory: '/repo/sub', text: 'mine\n\n--- project-doc ---\n\nroot\n\n\nsub' },
    problems: [],
  });
  expect(composeInstructions({ personal, project: [], maxBytes: 100, mostBytes, cwd: '/repo' })).toEqual({
    document: { text: 'mine' },
    problems: [],
  });
  expect(composeInstructions({ project: [], maxBytes: 100, mostBytes, cwd: '/repo' })).toEqual({
    document: {},
    problems: [],
  });
});

test('the file that crosses the limit is cut, and model and user are told', () => {
  expect(compose([file('/r/A', 'root'), file('/r/s/A', 'abcdef'), file('/r/s/t/A', 'gone')], 7)).toEqual({
    document: {
      directory: '/repo',
      text: 'root\n\nabc\n\n[Cut here to 7 bytes. Left out: 3 bytes of /r/s/A, all 4 bytes of /r/s/t/A. Read the files for the rest.]',
    },
    problems: [
      {
        code: 'instructions-cut',
        message: 'The instructions are too long. Left out: 3 bytes of /r/s/A, all 4 bytes of /r/s/t/A.',
        next: 'Shorten the files, or raise project_doc_max_bytes.',
      },
    ],
  });
});

test('blank files cost nothing and are not missed', () => {
  const blank = file('/r/blank', ' \n\t\n');
  expect(compose([blank, file('/r/A', 'root'), blank], 4)).toEqual({
    document: { directory: '/repo', text: 'root' },
    problems: [],
  });
  expect(compose([blank], 4)).toEqual({ document: {}, problems: [] });
});

test('the list of what was left out is bounded', () => {
  const { document } = compose(
    Array.from({ length: 9 }, (_, index) => file(`/r/${index}`, 'x')),
    2,
  );
  expect(document.text).toContain('all 1 bytes of /r/4 and of 4 more files.');
});

test('a personal file has a limit of its own', () => {
  const personal = file('/home/AGENTS.md', 'x'.repeat(40_000));
  const { document, problems } = composeInstructions({ personal, project: [], maxBytes: 1, mostBytes, cwd: '/repo' });
  expect(document.text).toMatch(/^x{32768}\n\n\[Cut here to 32768 bytes\. Left out: 7232 bytes/);
  expect(problems).toMatchObject([{ code: 'instructions-cut', next: 'Shorten the file.' }]);
});

test('in a small window all files together have their share of it, and the personal one half of that', () => {
  expect([1000, 8000, 272_000].map(instructionByteLimit)).toEqual([140, 1904, 65_536]);
  const personal = file('/home/AGENTS.md', 'x'.repeat(40_000));
  const project = [file('/repo/AGENTS.md', 'y'.repeat(40_000))];
  const input = { personal, project, maxBytes: 32_768, mostBytes: instructionByteLimit(8000), cwd: '/repo' };
  const { document, problems } = composeInstructions(input);
  expect([document.text?.match(/x+/)?.[0].length, document.text?.match(/y{9,}/)?.[0].length]).toEqual([952, 952]);
  expect(problems.map(({ next }) => next)).toEqual(['Shorten the file.', 'Shorten the files.']);
});

test('a byte-order mark is not text', () => {
  expect(compose([file('/r/A', '\uFEFFroot')], 100).document.text).toBe('root');
});

test('what is kept is a beginning of the whole, in whole characters and within the limit, and all of it if it fits', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((t) => /^[^\s\uFEFF[]/.test(t));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 60 }), (texts, maxBytes) => {
      const files = texts.map((content, index) => file(`/r/${index}`, content));
      const kept = (compose(files, maxBytes).document.text ?? '').replace(/(?:\n\n)?\[Cut here to [^]*\]$/, '');
      const whole = texts.join('\n\n');
      expect(whole.startsWith(kept)).toBe(true);
      const separators = Math.max(0, texts.length - 1) * 2;
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(maxBytes + separators);
      expect(kept === whole).toBe(Buffer.byteLength(texts.join('')) <= maxBytes);
    }),
  );
});

test('bytes that are no text are cut without harm', () => {
  const bytes = Buffer.alloc(20, 0x80);
  expect(compose([{ path: '/r/A', bytes, size: 20 }], 10).document.text).toContain('Left out: 10 bytes');
});

test('a cut goes back to the end of a line, if one is near', () => {
  const kept = (text: string, maxBytes: number) =>
    compose([file('/r/A', text)], maxBytes).document.text?.split('\n\n[')[0];
  expect(kept('Be kind.\nNever lie, unless asked.', 20)).toBe('Be kind.\n');
  expect(kept('Be kind.\nNever lie.\nEver.', 19)).toBe('Be kind.\nNever lie.');
  expect(kept('Be kind.\nNever lie.\nEver.', 20)).toBe('Be kind.\nNever lie.\n');
  expect(kept(`Be kind.\n${'x'.repeat(600)}`, 600)).toBe(`Be kind.\n${'x'.repeat(591)}`);
  expect(compose([file('/r/A', 'a\nbcd'), file('/r/s/A', 'x')], 3).document.text).toMatch(
    /^a\n\n\n\[Cut here to 3 bytes\. Left out: 3 bytes of \/r\/A, all 1 bytes of \/r\/s\/A\./,
  );
});

test('whatever is configured, the document fits into its fragment', () => {
  const personal = file('/home/AGENTS.md', 'Z'.repeat(40_000));
  const project = [file('/repo/AGENTS.md', '€'.repeat(30_000)), file('/repo/sub/AGENTS.md', 'late')];
  const { document, problems } = composeInstructions({ personal, project, maxBytes: 1e12, mostBytes, cwd: '/repo' });
  const { text, directory } = document;
  expect(text?.match(/[Z€]/g)).toHaveLength(32_768 + Math.floor((mostBytes - 32_768) / 3));
  expect(text).toMatch(/Left out: 57234 bytes of \/repo\/AGENTS\.md, all 4 bytes of .* for the rest\.\]$/);
  expect(problems.map(({ next }) => next)).toEqual(['Shorten the file.', 'Shorten the files.']);
  const told = renderFragment(agentsMdFragment, { directory: directory!, text: text!, replaces: true });
  expect(told.text).toContain(text);
});

test('a path in a sentence stays on its line', () => {
  const path = '/r/a\nb\u001b[31m\u2028/A';
  const { document, problems } = compose([file(path, 'abc')], 2);
  expect(document.text).toBe(
    'ab\n\n[Cut here to 2 bytes. Left out: 1 bytes of /r/a?b?[31m?/A. Read the files for the rest.]',
  );
  expect(problems[0]?.message).toBe('The instructions are too long. Left out: 1 bytes of /r/a?b?[31m?/A.');
});

test('what is no UTF-8 is replaced, counted and reported to the user; what was a replacement character already is not', () => {
  const bytes = Buffer.concat([Buffer.from('\uFFFD caf'), Buffer.from([0xe9]), Buffer.from(' au lait\n')]);
  expect(compose([{ path: '/r/A', bytes, size: bytes.length }], 100)).toEqual({
    document: { directory: '/repo', text: '\uFFFD caf\uFFFD au lait\n' },
    problems: [
      {
        code: 'instructions-damaged',
        message: 'The instructions in /r/A are not valid UTF-8 (replaced characters: 1).',
        next: 'Save the file as UTF-8 text.',
      },
    ],
  });
});
