import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Look } from '../../src/surfaces/tui/text/look.ts';
import { sampleCells } from './sample-cells.ts';

const look: Look = {
  width: 60,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/home/ada/engine',
  home: '/home/ada',
};

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);

function screen(name: string, some: Partial<Look>): string {
  const rows = sampleCells[name]!.rows({ ...look, ...some });
  const title = Object.values(some).join(', ');
  return [`── ${title} ${'─'.repeat(Math.max(1, 40 - title.length))}`, ...rows].join('\n');
}

/** Sequences as signs that a reader of the file sees. */
function withSigns(text: string): string {
  return text.replaceAll(/\u001B\[([\d;]*)m/g, '‹$1›');
}

/** Which sample shows the cell of a file. */
const shownBy: Readonly<Record<string, string>> = {
  'agent-cell': 'agent-spawned',
  'answer-cell': 'answer',
  'background-cell': 'background-waited',
  'call-cell': 'call',
  'called-patch-cell': 'patch-called',
  'card-cell': 'card',
  'command-cell': 'command-own',
  'decision-cell': 'approval-allowed',
  'exploring-cell': 'exploring',
  'failed-turn-cell': 'notice-error',
  'generic-cell': 'unknown',
  'hook-cell': 'hook-blocked',
  'image-cell': 'image-view',
  'notice-cell': 'notice-info',
  'patch-cell': 'patch',
  'plan-cell': 'plan',
  'questions-cell': 'questions',
  'quiet-cell': 'retry',
  'reasoning-cell': 'reasoning',
  'refused-cell': 'refused',
  'review-cell': 'review',
  'turn-end-cell': 'turn-end',
  'user-cell': 'user',
  'web-search-cell': 'web-search',
};

describe('golden screens', () => {
  it('have a sample of every cell', () => {
    const folder = join(import.meta.dirname, '../../src/surfaces/tui/cells');
    const files = readdirSync(folder).filter((name) => name.endsWith('-cell.ts'));
    expect(Object.keys(shownBy)).toEqual(files.map((name) => name.replace(/\.ts$/, '')).toSorted());
    expect(Object.values(shownBy).filter((name) => sampleCells[name] === undefined)).toEqual([]);
  });

  it.each(Object.keys(sampleCells))('%s', async (name) => {
    const widths = [20, 60, 100, 200].map((width) => screen(name, { width }));
    const others = [screen(name, { details: 'whole' }), screen(name, { glyphs: 'ascii' })];
    await expect(`${[...widths, ...others].join('\n\n')}\n`).toMatchFileSnapshot(golden(name));
  });

  it('every cell as a screen reader gets it', async () => {
    const screens = Object.keys(sampleCells).map(
      (name) =>
        `# ${name}\n${sampleCells[name]!.rows({ ...look, width: 72, glyphs: 'words', motion: 'none' }).join('\n')}`,
    );
    await expect(`${screens.join('\n\n')}\n`).toMatchFileSnapshot(golden('words'));
  });

  it.each([
    ['true', 'dark'],
    ['256', 'light'],
    ['sixteen', 'dark-colour-blind'],
    ['true', 'light-colour-blind'],
  ] as const)('with colours: %s, %s', async (colours, palette) => {
    const screens = Object.keys(sampleCells).map(
      (name) => `# ${name}\n${withSigns(screen(name, { colours, palette }))}`,
    );
    await expect(`${screens.join('\n\n')}\n`).toMatchFileSnapshot(golden(`coloured/${colours}-${palette}`));
  });
});
