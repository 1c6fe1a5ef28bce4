import type { Theme } from './theme.ts';
import type { ThemeName } from './themes.ts';
import type { KeyMap } from '../keys/key-map.ts';

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
