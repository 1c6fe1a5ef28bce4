import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { anyCharacter } from '../../testing/test-inputs.ts';
import { type MarkdownBlock, LinkDefinitions, readBlocks } from './blocks.ts';
import { TimedParser } from './bounded-lexer.ts';
import { InlineText } from './inline-text.ts';
import { MarkdownReader } from './markdown-reader.ts';

function blocksOf(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  const reader = new MarkdownReader((block) => blocks.push(block), new LinkDefinitions('so far'));
  for (const line of text.split('\n')) reader.line(line);
  reader.end();
  return blocks;
}

/** The blocks as nested lists. Code and lists in one piece, however they were given. */
function shape(blocks: readonly MarkdownBlock[]): readonly unknown[] {
  const shapes: unknown[][] = [];
  for (const block of blocks) {
    const last = shapes.at(-1);
    if (block.kind === 'code' && block.isContinued === true) (last![2] as string[]).push(...block.lines);
    else shapes.push(shapeOf(block));
  }
  return shapes.map((each) =>
    each[0] === 'code'
      ? [
          'code',
          each[1],
          (each[2] as string[])
            .map((line) => line.trim())
            .join('\n')
            .trimEnd(),
        ]
      : each,
  );
}

function shapeOf(block: MarkdownBlock): unknown[] {
  switch (block.kind) {
    case 'paragraph':
    case 'definition':
      return [block.kind, block.words.source];
    case 'heading':
      return [block.kind, block.level, block.words.source];
    case 'code':
      return [block.kind, block.language, [...block.lines]];
    case 'rule':
      return [block.kind];
    case 'quote':
      return [block.kind, shape(block.blocks)];
    case 'item':
      return [block.kind, block.sign, block.number, block.task, shape(block.blocks)];
    case 'table':
      return [
        block.kind,
        block.alignments,
        [block.header, ...block.rows].map((row) => row.map(({ source }) => source)),
      ];
  }
}

const kinds = [
  ['', '', '', 'plain', 'words', '  two in', '    four in', '   three in'],
  ['- a', '- b', '* c', '+ d', '  - e', '    - f', '   - g', '1. h', '2. i', '7) j', '  3. k', '- [x] l', '- [ ] m'],
  ['> q', '>', '> - r', '> > s', '- > u', '1. - v'],
  ['```', '```ts', '~~~'],
  ['# A', '## B ##', '===', '---', '***', '- - -', '--', '#C'],
  ['a | b', '-|-', '|:-:|--:|', '| 1 | 2 | 3 |', 'x | `y`'],
];
const line = fc.constantFrom(...kinds.flat());
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));

test('a text that is cut into blocks is read as the whole is', () => {
  fc.assert(
    fc.property(text, (markdown) => {
      const whole = readBlocks(markdown, new LinkDefinitions('so far'), new TimedParser({ share: 1 }));
      expect(shape(blocksOf(markdown))).toEqual(shape(whole!.blocks));
    }),
    { numRuns: 1000 * inject('runFactor') },
  );
});

test('items of one list count on, whatever stands between their blocks', () => {
  const items = (markdown: string) => blocksOf(markdown).map((block) => [block.kind, block.isContinued === true]);
  expect(items('- a\n\n  b\n- c\n\n* d')).toEqual([
    ['item', false],
    ['item', true],
    ['item', false],
  ]);
  expect(shape(blocksOf('3. a\n3. b\n\n7. c\n\nd\n\n7. e'))).toEqual([
    ['item', '.', 3, undefined, [['paragraph', 'a']]],
    ['item', '.', 4, undefined, [['paragraph', 'b']]],
    ['item', '.', 5, undefined, [['paragraph', 'c']]],
    ['paragraph', 'd'],
    ['item', '.', 7, undefined, [['paragraph', 'e']]],
  ]);
});

test('a text ends with its block, and an item only with a line that is not indented', () => {
  const given: string[] = [];
  const reader = new MarkdownReader((block) => given.push(block.kind), new LinkDefinitions('so far'));
  const after = (...lines: readonly string[]) => {
    for (const each of lines) reader.line(each);
    return given.splice(0);
  };
  expect(after('text', 'more')).toEqual([]);
  expect(after('')).toEqual(['paragraph']);
  expect(after('# One')).toEqual(['heading']);
  expect(after('- a', '', '  b', '')).toEqual([]);
  expect(after('- c')).toEqual(['item']);
  expect(after('', 'text')).toEqual(['item']);
  expect(after('```', 'code')).toEqual(['paragraph', 'code']);
  expect(after('more')).toEqual(['code']);
});

/** Each is read by the library in time that grows with its square, or fills its stack. */
const hostile: Readonly<Record<string, (size: number) => string>> = {
  brackets: (size) => '['.repeat(size),
  'brackets with code': (size) => `[${'`[` '.repeat(size / 4)}`,
  links: (size) => '[a](b "'.repeat(size / 7),
  emphasis: (size) => '*_'.repeat(size / 2),
  'emphasis that never ends': (size) => '**a *b '.repeat(size / 7),
  backticks: (size) => Array.from({ length: Math.sqrt(2 * size) }, (_, at) => '`'.repeat(at)).join(' '),
  quotes: () => `${'>'.repeat(10_000)} a`,
  'quotes in lines': (size) => Array.from({ length: Math.sqrt(size) }, (_, at) => `${'> '.repeat(at)}a`).join('\n'),
  'quotes that go on': (size) => '> > > > a\nb\n'.repeat(size / 12),
  lists: () => '- + '.repeat(5000),
  'lists in lines': (size) => Array.from({ length: Math.sqrt(size) }, (_, at) => `${'  '.repeat(at)}- a`).join('\n'),
  tasks: (size) => `- a\n${'  - [ ] b\n'.repeat(size / 10)}`,
  'a wide table': (size) => `${'|a'.repeat(10_000)}\n${'|-'.repeat(10_000)}\n${'|\n'.repeat(size / 2)}`,
  'a long table': (size) => `${'|a'.repeat(90)}\n${'|-'.repeat(90)}\n${'|\n'.repeat(size / 2)}`,
  addresses: (size) => `https://a${'&amp;'.repeat(size / 5)}`,
  mail: (size) => 'a_b.'.repeat(size / 4),
  definitions: (size) => Array.from({ length: size / 14 }, (_, at) => `[a${at}]: b\n`).join('\n'),
  titles: (size) => '[a]: b "c\n'.repeat(size / 10),
  tags: (size) => '<a b="'.repeat(size / 6),
  entities: (size) => '&#x202e;'.repeat(size / 8),
};

test.each(Object.entries(hostile))('reads %s in a bounded time', (_, textOf) => {
  const before = process.cpuUsage();
  for (const block of blocksOf(textOf(100_000))) allWords(block).forEach(({ parts }) => parts);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2000);
});

test('no text of any characters makes it throw', () => {
  const anyText = fc.array(fc.oneof(line, fc.string({ unit: anyCharacter, maxLength: 6 })), { maxLength: 12 });
  fc.assert(
    fc.property(anyText, (lines) => {
      for (const block of blocksOf(lines.join('\n'))) allWords(block).forEach(({ parts }) => parts);
    }),
    { numRuns: 500 * inject('runFactor') },
  );
});

function allWords(block: MarkdownBlock): readonly InlineText[] {
  if (block.kind === 'quote' || block.kind === 'item') return block.blocks.flatMap(allWords);
  if (block.kind === 'table') return [block.header, ...block.rows].flat();
  return block.kind === 'rule' || block.kind === 'code' ? [] : [block.words];
}

test('a block that is too long is given as it is written, line by line', () => {
  const given: MarkdownBlock[] = [];
  const reader = new MarkdownReader((block) => given.push(block), new LinkDefinitions('so far'));
  for (let count = 0; count < 70; count += 1) reader.line(`*${'a'.repeat(1000)}*`);
  reader.line('*b*');
  expect(given.slice(1).map((block) => [block.kind, block.isContinued])).toEqual(
    Array.from({ length: given.length - 1 }, () => ['paragraph', true]),
  );
  expect(allWords(given.at(-1)!)[0]!.parts).toEqual([{ kind: 'text', text: '*b*' }]);
  expect(given.flatMap(allWords).reduce((sum, { source }) => sum + source.split('\n').length, 0)).toBe(71);
  reader.line('');
  reader.line('*c*');
  reader.end();
  expect(allWords(given.at(-1)!)[0]!.parts).toEqual([{ kind: 'emphasis', parts: [{ kind: 'text', text: 'c' }] }]);
});

test('what takes too long, or fails, is given as it is written, and shortens the time of the next', () => {
  const time = { share: 1 };
  const patience = new TimedParser(time);
  expect(
    patience.read('', () => {
      throw new RangeError('Maximum call stack size exceeded');
    }),
  ).toBeUndefined();
  expect([patience.isOver, time.share]).toEqual([true, 0.8]);
  expect(patience.read('', () => 1)).toBeUndefined();
  const words = new InlineText('*a*', { links: new LinkDefinitions('so far').links, timedParser: patience });
  expect(words.parts).toEqual([{ kind: 'text', text: '*a*' }]);
});
