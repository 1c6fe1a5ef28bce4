import { describe, expect, it } from 'vitest';
import { draftFromText } from '../draft/draft.ts';
import type { Look } from '../screen/text/look.ts';
import { SlashPopup } from './slash-popup.ts';
import { slashCommands } from './slash-commands.ts';

const look: Look = {
  width: 60,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/w',
  home: '/home/ada',
};

describe('the list of commands', () => {
  it('shows eight, says how many more there are, and scrolls to each of them', () => {
    const popup = new SlashPopup();
    const draft = draftFromText('/');
    const listed = slashCommands.filter((command) => !('isAlias' in command));
    const rows = popup.rows(draft, look, 24);
    expect(rows).toHaveLength(9);
    expect(rows.at(-1)).toBe(`  … ${listed.length - 8} more: up and down, or type a name`);
    for (const { name } of listed) {
      expect(popup.chosen(draft)?.name).toBe(name);
      expect(popup.rows(draft, look, 24).some((row) => row.startsWith(`› /${name}`))).toBe(true);
      popup.move(draft, 1);
    }
    expect(popup.chosen(draft)?.name).toBe(listed[0]?.name);
  });

  it.each([1, 2, 3, 8])('shows as many as %i rows hold, the chosen one among them', (room) => {
    const popup = new SlashPopup();
    const draft = draftFromText('/');
    for (let at = 0; at < 12; at++) {
      const rows = popup.rows(draft, look, room);
      expect(rows).toHaveLength(room);
      expect(rows.some((row) => row.startsWith(`› /${popup.chosen(draft)?.name}`))).toBe(true);
      expect(rows.some((row) => row.includes('more:'))).toBe(room > 1);
      popup.move(draft, 1);
    }
  });

  it.each([20, 60, 200])('keeps to %i columns, whatever a prompt of the user says', (width) => {
    const popup = new SlashPopup();
    const takes = `\u001B[2J${'FILE '.repeat(40)}`;
    popup.more = [{ name: 'prompts:Odd', takes, does: 'a\u001B]0;owned\u0007b\nc' }];
    const rows = popup.rows(draftFromText('/prompts:o'), { ...look, width }, 24);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatch(/^› \/prompts:Odd/);
    // oxlint-disable-next-line no-control-regex -- none of them may be there
    expect(rows[0]).not.toMatch(/[\u0000-\u001F]/);
    expect(rows[0]!.length).toBeLessThanOrEqual(width);
  });
});
