import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Look } from '../../src/surfaces/tui/screen/text/look.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import type { TurnItem } from '../../src/protocol/turn-item.ts';
import { sampleCells } from './sample-cells.ts';
import { sampleItems } from './sample-items.ts';

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

/** The sample that shows each cell. */
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
  'header-cell': 'header',
  'hook-cell': 'hook-blocked',
  'image-cell': 'image-view',
  'listed-command-cell': 'command-listed',
  'notice-cell': 'notice-info',
  'patch-cell': 'patch',
  'plan-cell': 'plan',
  'questions-cell': 'questions',
  'quiet-cell': 'retry',
  'reasoning-cell': 'reasoning',
  'refused-cell': 'refused',
  'review-cell': 'review',
  'review-start-cell': 'review-start',
  'running-hooks-cell': 'hook-running',
  'turn-end-cell': 'turn-end',
  'user-cell': 'user',
  'web-search-cell': 'web-search',
};

/** The compiler knows when one is missing. */
const itemKinds: Readonly<Record<TurnItem['kind'], true>> = {
  'agent-message': true,
  command: true,
  'file-change': true,
  'image-generation': true,
  'image-view': true,
  plan: true,
  reasoning: true,
  'tool-call': true,
  'user-message': true,
  'web-search': true,
};

/** Which sample shows an event; none: it has no cell, or is part of another. */
const shownEvents: Readonly<Record<ThreadEvent['kind'], readonly string[]>> = {
  'item-completed': ['command-ok'],
  'call-refused': ['refused'],
  'question-answered': ['approval-allowed', 'approval-declined', 'approval-reviewed'],
  'hook-completed': ['hook-blocked', 'hook-context'],
  warning: ['notice-warning'],
  retrying: ['retry', 'retry-again'],
  'model-switched': ['model-switch', 'model-switch-cost'],
  'checkpoint-installed': ['checkpoint'],
  'prefix-broken': ['prefix-broken'],
  'checkpoint-failed': ['checkpoint-failed'],
  context: ['agent-ended'],
  'turn-failed': ['notice-error'],
  'turn-aborted': ['interrupted'],
  'turn-suspended': ['turn-suspended'],
  'turn-completed': ['turn-end', 'turn-without-answer'],
  'thread-started': [],
  settings: [],
  'turn-started': [],
  'item-started': ['command-running'],
  'item-updated': [],
  'question-asked': [],
  'hook-started': ['hook-running'],
  usage: [],
  'checkpoint-started': [],
  'checkpoint-stage': [],
  // Its cells are made of those of a review: test/tui/resumed-screen.test.ts.
  'code-reviewed': [],
};

describe('golden screens', () => {
  it('have a sample of every cell, event and item', () => {
    const folder = join(import.meta.dirname, '../../src/surfaces/tui');
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const makers = paths.flatMap((path) => [
      ...readFileSync(join(folder, path), 'utf8').matchAll(/^(?:export )?function (\w+Cell)\b/gm),
    ]);
    const cells = makers.map(([, name = '']) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
    // Two choose among the others; three are parts of others.
    const others = ['event-cell', 'item-cell', 'aligned-cell', 'prose-cell', 'titled-call-cell'];
    const chosen = cells.filter((name) => !others.includes(name)).toSorted();
    expect(Object.keys(shownBy)).toEqual(chosen);
    const samples = [...Object.values(shownBy), ...Object.values(shownEvents).flat()];
    expect(samples.filter((name) => sampleCells[name] === undefined)).toEqual([]);
    const kinds = new Set(Object.values(sampleItems).map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(Object.keys(itemKinds));
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
