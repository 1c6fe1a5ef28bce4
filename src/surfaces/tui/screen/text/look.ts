import type { KeyMap } from '../keys/key-map.ts';
import type { Theme, ThemeName } from './themes.ts';

export interface Look {
  /** Columns; at least 1. */
  readonly width: number;
  /** `none`: no sequences at all, not even for bold. */
  readonly colours: 'none' | 'sixteen' | '256' | 'true';
  /** A built-in theme by name, or one of the user's own. */
  readonly palette: ThemeName | Theme;
  /**
   * `ascii`: all our signs are ASCII. `words`: for a screen reader, with words instead of signs and nothing side by
   * side. Text by others stays as it is.
   */
  readonly glyphs: 'unicode' | 'ascii' | 'words';
  /** `whole`: everything, as in the transcript view. */
  readonly details: 'folded' | 'whole';
  /** Milliseconds, for cells of running work. */
  readonly now: number;
  /** `none`: no animation. */
  readonly motion?: 'none';
  readonly cwd: string;
  readonly home: string;
  /** For hints. Absent: the default keys. */
  readonly keys?: KeyMap;
}

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

/** Read out by screen readers. Empty: the following text says enough. */
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

/** Replaces signs in Capstan's own text by those of the look. */
export const wordsWithGlyphs = (text: string, { glyphs }: Pick<Look, 'glyphs'>): string =>
  glyphs !== 'unicode' ? text.replaceAll(/[→…·—–]/g, (sign) => plainSigns[sign] ?? sign) : text;

export function glyphsOf({ glyphs }: Pick<Look, 'glyphs'>): Readonly<Record<keyof typeof unicode, string>> {
  return { unicode, ascii, words }[glyphs];
}
