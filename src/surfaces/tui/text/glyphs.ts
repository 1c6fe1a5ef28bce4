import type { Look } from './look.ts';

const unicode = {
  bullet: '•',
  prompt: '›',
  corner: '└',
  bar: '│',
  ellipsis: '…',
  good: '✔',
  bad: '✗',
  warning: '⚠',
  error: '■',
  pending: '□',
  boxOpen: '☐',
  boxDone: '☑',
  gap: '⋮',
  arrow: '→',
  input: '↳',
  rule: '─',
  heavyRule: '━',
  listItem: '•',
  dot: '·',
} as const;

const ascii: Readonly<Record<keyof typeof unicode, string>> = {
  bullet: '*',
  prompt: '>',
  corner: '\\',
  bar: '|',
  ellipsis: '...',
  good: '+',
  bad: 'x',
  warning: '!',
  error: '#',
  pending: '-',
  boxOpen: '[ ]',
  boxDone: '[x]',
  gap: ':',
  arrow: '->',
  input: '>',
  rule: '-',
  heavyRule: '=',
  listItem: '-',
  dot: '-',
};

/** As a screen reader says them. Empty: what follows says enough. */
const words: typeof ascii = {
  ...ascii,
  bullet: '',
  corner: ' ',
  bar: ' ',
  good: 'Done:',
  bad: 'Failed:',
  warning: 'Warning:',
  error: 'Error:',
  pending: 'To do:',
  boxOpen: 'To do:',
  boxDone: 'Done:',
  gap: '...',
  arrow: 'to',
  input: '-',
  rule: '',
  heavyRule: '',
  dot: '-',
};

const plainSigns: Readonly<Record<string, string>> = { '→': '->', '…': '...', '·': '-', '—': '-', '–': '-' };

/** Words of Capstan, in signs that the look has. */
export function ownWords(text: string, { glyphs }: Pick<Look, 'glyphs'>): string {
  return glyphs !== 'unicode' ? text.replaceAll(/[→…·—–]/g, (sign) => plainSigns[sign] ?? sign) : text;
}

/** The signs that cells add to what others wrote. */
export function glyphsOf({ glyphs }: Pick<Look, 'glyphs'>): Readonly<Record<keyof typeof unicode, string>> {
  return { unicode, ascii, words }[glyphs];
}
