import { describe, expect, it } from 'vitest';
import { WrappedStream } from './screen.ts';

/** The rows shown for a text, however it arrives. */
function shown(text: string, { width = 20 } = {}): string {
  const results = [1, 3, 1000].map((size) => {
    const stream = new WrappedStream(() => width);
    const pieces = text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
    return pieces.map((piece) => stream.push(piece)).join('') + stream.end();
  });
  expect(new Set(results).size).toBe(1);
  return results[0]!;
}

describe('a text that arrives in pieces', () => {
  it.each([
    ['short lines stay', 'one two\n\n  three\n', 'one two\n\n  three\n'],
    ['breaks between words', 'the quick brown fox jumps', 'the quick brown fox\njumps'],
    [
      'a long word stands out',
      `see https://example.com/${'a'.repeat(20)} now`,
      `see https://example.com/${'a'.repeat(20)}\nnow`,
    ],
    ['a list continues below its text', '- the quick brown fox jumps', '- the quick brown\n  fox jumps'],
    ['numbers too', '12. the quick brown fox', '12. the quick brown\n    fox'],
    ['no indent that leaves nothing', `${' '.repeat(10)}- the quick brown`, `${' '.repeat(10)}- the\nquick brown`],
    [
      'code is as it was',
      '```sh\nrm   -rf  node_modules dist coverage\n```\nthe quick brown fox jumps',
      '```sh\nrm   -rf  node_modules dist coverage\n```\nthe quick brown fox\njumps',
    ],
    [
      'code with a fence in it, too',
      '````md\n```sh\nrm   -rf  node_modules dist\n```\nthe quick brown fox jumps\n````\nthe quick brown fox jumps',
      '````md\n```sh\nrm   -rf  node_modules dist\n```\nthe quick brown fox jumps\n````\nthe quick brown fox\njumps',
    ],
    ['and so are tables', '| a | the quick brown fox |\n', '| a | the quick brown fox |\n'],
    ['signs of two columns break anywhere', '漢字'.repeat(6), `${'漢字'.repeat(5)}\n漢字`],
  ])('%s', (_, text, wanted) => {
    expect(shown(text)).toBe(wanted);
  });

  it('holds back no more than the word that is arriving', () => {
    const stream = new WrappedStream(() => 20);
    expect([stream.push('The answ'), stream.push('er is'), stream.push(' 42'), stream.end()]).toEqual([
      'The',
      ' answer',
      ' is',
      ' 42',
    ]);
  });
});
