import type { KeyMap } from '../keys/key-map.ts';

/** How a surface wants cells to be drawn. */
export interface Look {
  /** Columns; at least 1. */
  readonly width: number;
  /** `none`: no sequence at all, not even for bold. */
  readonly colours: 'none' | 'sixteen' | '256' | 'true';
  readonly palette: PaletteName;
  /** `ascii`: every sign that we add is ASCII. What others wrote stays as it is. */
  readonly glyphs: 'unicode' | 'ascii';
  /** `whole`: all there is, as the transcript view shows it. */
  readonly details: 'folded' | 'whole';
  /** Milliseconds, for cells of what still runs. */
  readonly now: number;
  readonly cwd: string;
  readonly home: string;
  /** For hints. Absent: the keys that Capstan comes with. */
  readonly keys?: KeyMap;
}

export type PaletteName = 'dark' | 'light' | 'dark-colour-blind' | 'light-colour-blind';
