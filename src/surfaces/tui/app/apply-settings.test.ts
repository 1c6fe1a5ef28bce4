import { expect, it } from 'vitest';
import { tuiSettings } from '../../../config/tui-settings.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import { applySettings } from './apply-settings.ts';
import { plainLook } from './plain-look.ts';
import type { SessionParts } from './session.ts';
import { TuiStage } from './stage.ts';

async function lookWith(tui: NonNullable<Parameters<typeof tuiSettings>[0]['tui']>) {
  const terminal = { columns: 80, rows: 24, keepsScreen: true, write: () => {} } as unknown as TerminalPort;
  const look = plainLook({ LC_ALL: 'C.UTF-8', NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const stage = new TuiStage({ terminal, look, isFull: false, reflows: true, now: () => 0 });
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
