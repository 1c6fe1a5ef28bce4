import type { KeyMap } from '../keys/key-map.ts';
import type { Theme, ThemeName } from './themes.ts';

/** How a surface wants cells to be drawn. */
export interface Look {
  /** Columns; at least 1. */
  readonly width: number;
  /** `none`: no sequence at all, not even for bold. */
  readonly colours: 'none' | 'sixteen' | '256' | 'true';
  /** By its name, or one of the user's own. */
  readonly palette: ThemeName | Theme;
  /**
   * `ascii`: every sign that we add is ASCII. `words`: for a screen reader, with words in the place of signs and nothing
   * that stands side by side. What others wrote stays as it is.
   */
  readonly glyphs: 'unicode' | 'ascii' | 'words';
  /** `whole`: all there is, as the transcript view shows it. */
  readonly details: 'folded' | 'whole';
  /** Milliseconds, for cells of what still runs. */
  readonly now: number;
  /** `none`: nothing moves by itself. */
  readonly motion?: 'none';
  readonly cwd: string;
  readonly home: string;
  /** For hints. Absent: the keys that Capstan comes with. */
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
export function wordsWithGlyphs(text: string, { glyphs }: Pick<Look, 'glyphs'>): string {
  return glyphs !== 'unicode' ? text.replaceAll(/[→…·—–]/g, (sign) => plainSigns[sign] ?? sign) : text;
}

/** The signs that cells add to what others wrote. */
export function glyphsOf({ glyphs }: Pick<Look, 'glyphs'>): Readonly<Record<keyof typeof unicode, string>> {
  return { unicode, ascii, words }[glyphs];
}
