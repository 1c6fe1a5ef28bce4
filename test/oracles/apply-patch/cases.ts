import { Buffer } from 'node:buffer';
import { type Random, randomFrom } from './random.ts';

/** An entry of a folder before a patch. */
export type Entry =
  | { readonly kind: 'file'; readonly content: Buffer }
  | { readonly kind: 'folder' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'hard-link'; readonly to: string };

export interface Case {
  /** By path below the root; parents are made as needed. The patch is applied in `w`. */
  readonly tree: Readonly<Record<string, Entry>>;
  /** `<ROOT>` stands for the root's absolute path. */
  readonly patch: string;
}

/** Few and alike, so that contexts repeat and nearly match. */
const fewWords = ['', '', ' ', 'a', 'a', 'b', ' a'];

const manyWords = [
  'a',
  'b',
  'foo',
  '  foo',
  'foo  ',
  '\tfoo',
  'foo\u0085',
  'foo bar',
  'foo\u00a0bar',
  'x\u2014y',
  'x-y',
  '\u201cq\u201d it\u2019s',
  '"q" it\'s',
  'na\u00efve \u2705',
  '\u{1f600} astral',
  '',
  '',
  ' ',
  '}',
  'line\u2028separator',
  '\ufefffoo',
  'foo\u200b',
  '+plus',
  '-minus',
  '@@',
  '@@ a',
  '*** End Patch',
  '*** End of File',
  ' *** End Patch',
  '\u3000wide\u3000',
];

const plainPaths = ['f', 'g', 'd/f'];

const oddPaths = [
  './f',
  'd/../f',
  'missing/../g',
  '<ROOT>/w/f',
  '<ROOT>/w/new/abs',
  'new/x',
  'new/y/z',
  'n',
  'f/x',
  'link',
  'dlink/f',
  'dlink/new',
  'dangling',
  'loop',
  'hard',
  'd',
  'd/',
  'f/',
  '.',
  '../outside',
  'sp ace',
  ' lead',
  '\u00fc\u2014',
  '~',
  '*',
  'none',
];

const noise = [
  '@@',
  '@@ a',
  '@@ foo',
  '@@  foo',
  '@@x',
  '*** End of File',
  '*** End Patch',
  ' *** End Patch',
  '*** Begin Patch',
  '*** Move to: n',
  ' *** Move to: n',
  '*** Update File: g',
  '  *** Update File: g',
  '*** Add File: n',
  '*** Delete File: g',
  '*** Delete File: ',
  '*** Environment ID: here',
  '*** Environment ID:',
  '*** Frobnicate: g',
  '',
  ' ',
  '\t',
  '+added',
  ' +added',
  '-a',
  ' a',
  'plain',
  '\u00a0*** Delete File: g',
];

export function makeCase(seed: number): Case {
  const random = randomFrom(seed);
  const words = random.chance(0.3) ? fewWords : manyWords;
  const tree = makeTree(random, words);
  // No argument of a command can hold a zero byte.
  return { tree, patch: deform(random, makePatch(random, tree, words)).replaceAll('\0', '') };
}

function makeTree(random: Random, words: readonly string[]): Readonly<Record<string, Entry>> {
  const tree: Record<string, Entry> = {};
  for (const name of ['w/f', 'w/g', 'w/d/f']) if (random.chance(0.9)) tree[name] = makeFile(random, words);
  tree['w/d/keep'] = { kind: 'file', content: Buffer.from('kept\n') };
  if (random.chance(0.15)) tree['w/link'] = { kind: 'link', target: random.pick(['f', 'd/f', '../outside', 'd']) };
  if (random.chance(0.1)) tree['w/dlink'] = { kind: 'link', target: random.pick(['d', '../w/d', '<ROOT>/w/d']) };
  if (random.chance(0.05)) tree['w/dangling'] = { kind: 'link', target: random.pick(['nothing', 'no/thing']) };
  if (random.chance(0.05)) tree['w/loop'] = { kind: 'link', target: 'loop' };
  if (random.chance(0.1) && tree['w/f'] !== undefined) tree['w/hard'] = { kind: 'hard-link', to: 'w/f' };
  if (random.chance(0.2)) tree['outside'] = makeFile(random, words);
  return tree;
}

function makeFile(random: Random, words: readonly string[]): Entry {
  const style = random.pick(['\n', '\n', '\r\n', '\r\n', '\r', 'mixed', 'mixed']);
  const ending = () => (style === 'mixed' ? random.pick(['\n', '\r\n', '\r']) : style);
  let text = '';
  for (let left = random.below(14); left > 0; left--) {
    text += random.pick(words) + (left === 1 && random.chance(0.35) ? '' : ending());
  }
  if (random.chance(0.03)) text = `\ufeff${text}`;
  const content = Buffer.from(text);
  if (!random.chance(0.03)) return { kind: 'file', content };
  const at = random.below(content.length + 1);
  const bad = Buffer.from(random.pick([[0xff], [0xe9], [0xc3], [0xed, 0xa0, 0x80], [0xff, 0x00]]));
  return { kind: 'file', content: Buffer.concat([content.subarray(0, at), bad, content.subarray(at)]) };
}

function makePatch(random: Random, tree: Case['tree'], words: readonly string[]): string[] {
  const lines: string[] = [];
  const count = random.pick([1, 1, 1, 1, 2, 2, 3]);
  for (let i = 0; i < count; i++) {
    const path = random.pick(random.chance(0.75) ? plainPaths : oddPaths);
    const kind = random.pick(['update', 'update', 'update', 'update', 'update', 'update', 'add', 'delete']);
    if (kind === 'add') lines.push(`*** Add File: ${path}`, ...some(random, 4, () => `+${random.pick(words)}`));
    else if (kind === 'delete') lines.push(`*** Delete File: ${path}`);
    else {
      lines.push(`*** Update File: ${path}`);
      if (random.chance(0.15)) lines.push(`*** Move to: ${random.pick(oddPaths)}`);
      lines.push(...makeChunks(random, linesAt(tree, path), words));
    }
  }
  return ['*** Begin Patch', ...lines, '*** End Patch'];
}

/** The lines that an update of the path would most likely find. */
function linesAt(tree: Case['tree'], path: string): readonly string[] {
  const name = path.includes('g') ? 'w/g' : path.startsWith('d') && path.endsWith('/f') ? 'w/d/f' : 'w/f';
  const entry = tree[name];
  const lines = entry?.kind === 'file' ? entry.content.toString('utf8').split(/\r\n|\r|\n/) : [];
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function makeChunks(random: Random, file: readonly string[], words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let at = 0;
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  for (let i = 0; i < count; i++) {
    at += random.below(4);
    const header = random.below(10);
    if (header < 6) lines.push('@@');
    else if (header < 8 && file[at] !== undefined) lines.push(`@@ ${nearly(random, file[at++]!)}`);
    else if (i > 0) lines.push(random.chance(0.3) ? `@@ ${random.pick(words)}` : '@@');
    for (let left = random.below(5); left >= 0; left--) {
      const original = random.chance(0.98) ? file[at] : random.pick(words);
      const action = random.below(10);
      if (action < 3 || original === undefined) lines.push(`+${random.pick(words)}`);
      else if (action < 7) lines.push(` ${nearly(random, original)}`);
      else lines.push(`-${nearly(random, original)}`);
      if (action >= 3) at++;
    }
    if (random.chance(0.1)) lines.push(random.pick([' ', '', '-', '+']));
    if (random.chance(0.12) || (at >= file.length && random.chance(0.4))) lines.push('*** End of File');
  }
  return lines;
}

/** A line as a model remembers it. */
function nearly(random: Random, line: string): string {
  switch (random.below(14)) {
    case 0:
      return line.trim();
    case 1:
      return `${line} `;
    case 2:
      return `  ${line}`;
    case 3:
      return line
        .replace(/[\u2010-\u2015]/g, '-')
        .replace(/[\u201c\u201d]/g, '"')
        .replace(/\u2019/g, "'");
    case 4:
      return random.chance(0.2) ? `${line}!` : line.replaceAll(' ', '\u00a0');
    default:
      return line;
  }
}

/** Now and then breaks the syntax, or writes it in another way. */
function deform(random: Random, lines: string[]): string {
  if (random.chance(0.2)) {
    for (let times = 1 + random.below(2); times > 0; times--) {
      const at = random.below(lines.length + 1);
      const change = random.below(5);
      if (change === 0) lines.splice(at, 1);
      else if (change === 1) lines.splice(at, 0, random.pick(lines));
      else if (change === 2 && lines[at] !== undefined) lines[at] = random.pick([' ', '\t', '\u00a0']) + lines[at];
      else if (change === 3 && lines[at] !== undefined) lines[at] += random.pick([' ', '\t', '\r', '\r\r', '\u3000']);
      else lines.splice(at, 0, random.pick(noise));
    }
  }
  if (random.chance(0.05)) lines = [random.pick(['<<EOF', "<<'EOF'", '<<"EOF"', '<<X']), ...lines, 'EOF'];
  const text = lines.join(random.chance(0.05) ? '\r\n' : '\n');
  if (random.chance(0.05))
    return `${random.pick([' ', '\n', '\r\n', ''])}${text}${random.pick([' ', '\n', '\n\n', '\nx', ''])}`;
  return text;
}

function some<Value>(random: Random, limit: number, make: () => Value): readonly Value[] {
  return Array.from({ length: random.below(limit) }, make);
}
