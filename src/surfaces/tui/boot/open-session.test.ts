import { expect, it } from 'vitest';
import { tuiSettings } from '../../../core/config/tui-settings.ts';
import type { TerminalPort } from '../screen/terminal/terminal-port.ts';
import { applySettings } from './open-session.ts';
import { defaultScreenLook, TuiScreen } from '../screen/tui-screen.ts';
import type { SessionParts } from '../session/session.ts';

async function lookWith(tui: NonNullable<Parameters<typeof tuiSettings>[0]['tui']>) {
  const terminal = { columns: 80, rows: 24, keepsScreen: true, write: () => {} } as unknown as TerminalPort;
  const look = defaultScreenLook({ LC_ALL: 'C.UTF-8', NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const stage = new TuiScreen({ terminal, look, isFull: false, reflows: true, now: () => 0 });
  const engine = { config: { tui: tuiSettings({ tui }), unusedTui: [] } };
  expect(await applySettings({ stage, engine } as unknown as SessionParts, { isFull: false })).toEqual([]);
  const { glyphs, colours, motion } = stage.look;
  stage.discard();
  return { glyphs, colours, motion };
}

it.each([
  [{}, { glyphs: 'unicode', motion: undefined }],
  [{ animations: false }, { glyphs: 'unicode', motion: 'none' }],
  [{ ascii: true }, { glyphs: 'ascii', motion: undefined }],
  [{ screenReader: true }, { glyphs: 'words', motion: 'none' }],
])('%j', async (tui, look) => {
  expect(await lookWith(tui)).toEqual({ colours: 'none', ...look });
});
