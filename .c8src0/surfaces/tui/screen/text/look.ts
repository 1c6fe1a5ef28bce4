import type { KeyMap } from '../keys/key-map.ts';
import type { Theme, ThemeName } from './themes.ts';

export interface Look {
  /** Columns; at least 1. */
  readonly width: number;
  /** `none`: no sequences at all, not even for bold. */
  readonly colours: 'none' | 'sixteen' | '256' | 'true';
  /** A built-in theme by name, or one of the user's own. */
  readonly palette: ThemeName | Theme;
  /** `words`: for a screen reader, without signs and with nothing side by side. Text by others stays as it is. */
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

/** Our signs in Unicode, in ASCII, and for screen readers if they differ. Empty: the following text says enough. */
const signs = {
  bullet: ['•', '*', ''],
  prompt: ['›', '>'],
  corner: ['└', '\\', ' '],
  bar: ['│', '|', ' '],
  ellipsis: ['…', '...'],
  good: ['✔', '+', 'Done:'],
  bad: ['✗', 'x', 'Failed:'],
  warning: ['⚠', '!', 'Warning:'],
  error: ['■', '#', 'Error:'],
  pending: ['□', '-', 'To do:'],
  boxOpen: ['☐', '[ ]', 'To do:'],
  boxDone: ['☑', '[x]', 'Done:'],
  gap: ['⋮', ':', '...'],
  arrow: ['→', '->', 'to'],
  input: ['↳', '>', '-'],
  rule: ['─', '-', ''],
  heavyRule: ['━', '=', ''],
  listItem: ['•', '-'],
  dot: ['·', '-'],
} as const satisfies Readonly<Record<string, readonly [unicode: string, ascii: string, words?: string]>>;

type Glyphs = Readonly<Record<keyof typeof signs, string>>;

const inForm = (at: 0 | 1 | 2): Glyphs =>
  Object.fromEntries(
    Object.entries<readonly string[]>(signs).map(([name, forms]) => [name, forms[at] ?? forms[1]]),
  ) as Glyphs;
const forms = { unicode: inForm(0), ascii: inForm(1), words: inForm(2) };
const plainSigns: Readonly<Record<string, string>> = { '→': '->', '…': '...', '·': '-', '—': '-', '–': '-' };

/** Replaces signs in Capstan's own text by those of the look. */
export const replaceGlyphs = (text: string, { glyphs }: Pick<Look, 'glyphs'>): string =>
  glyphs !== 'unicode' ? text.replaceAll(/[→…·—–]/g, (sign) => plainSigns[sign] ?? sign) : text;

export const glyphsOf = ({ glyphs }: Pick<Look, 'glyphs'>): Glyphs => forms[glyphs];
