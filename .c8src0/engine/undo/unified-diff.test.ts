import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

it('shows what changed with three lines around it', () => {
  const old = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  expect(unifiedDiff(old, old.replace('e', 'E'))).toBe('@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n');
  expect([unifiedDiff(old, old), unifiedDiff(undefined, ''), unifiedDiff('', undefined)]).toEqual(['', '', '']);
  expect(unifiedDiff(undefined, 'new\n')).toBe('@@ -0,0 +1 @@\n+new\n');
  expect(unifiedDiff('old\n', undefined)).toBe('@@ -1 +0,0 @@\n-old\n');
  expect(unifiedDiff('x\n', 'x')).toBe('@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n');
});

it('replaces what differs too much to be compared', () => {
  const many = (word: string): string => Array.from({ length: 2000 }, (_, at) => `${word} ${at}\n`).join('');
  const lines = unifiedDiff(many('old'), many('new')).split('\n');
  expect([lines[0], lines[1], lines[2000], lines[2001]]).toEqual([
    '@@ -1,2000 +1,2000 @@',
    '-old 0',
    '-old 1999',
    '+new 0',
  ]);
});

/** Applies the hunks by hand: what the signs say must lead from one text to the other. */
function applied(old: string, diff: string): string {
  const lines = old.split(/(?<=\n)/);
  const result: string[] = [];
  let at = 0;
  for (const [, start, length, body] of diff.matchAll(/^@@ -(\d+)(?:,(\d+))? .*@@\n((?:(?!@@).*\n)*)/gm)) {
    const first = Number(start) - (length === '0' ? 0 : 1);
    result.push(...lines.slice(at, first));
    at = first;
    for (const line of body!.replaceAll('\n\\ No newline at end of file', '\u0000').split(/(?<=\n)/)) {
      const text = line.slice(1).replace('\u0000\n', '');
      if ((line[0] === '-' || line[0] === ' ') && lines[at++] !== text) throw new Error(`no such line: ${text}`);
      if (line[0] === '+' || line[0] === ' ') result.push(text);
    }
  }
  return [...result, ...lines.slice(at)].join('');
}

it('leads from any text to any other', () => {
  const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 14 }).map((lines) => lines.join(''));
  const end = fc.constantFrom('', 'x');
  fc.assert(
    fc.property(text, end, text, end, (one, oneEnd, two, twoEnd) => {
      const [old, now] = [one + oneEnd, two + twoEnd];
      expect(applied(old, unifiedDiff(old, now))).toBe(now);
    }),
    { numRuns: 1000 },
  );
});

it('walks once over a long file with many changes', () => {
  const lines = Array.from({ length: 200_000 }, (_, at) => String(at % 10));
  const changed = lines.map((line, at) => (at % 300 === 0 ? 'x' : line));
  const hunks = unifiedDiff(lines.join('\n'), changed.join('\n')).match(/^@@ .* @@$/gm) ?? [];
  expect([hunks.length, hunks.at(-1)]).toEqual([667, '@@ -199798,7 +199798,7 @@']);
});
