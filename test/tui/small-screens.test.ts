import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { openIn, type TuiScene, tuiScene } from './tui-scene.ts';

const sizes = [
  [5, 24],
  [1, 1],
  [80, 1],
  [5, 1],
  [2, 3],
  [200, 2],
  [3, 60],
] as const;

/** Through every size, and back. Nothing may be wider or higher than the screen: then rows of the user would scroll away. */
async function squeeze({ terminal }: TuiScene, words: string): Promise<void> {
  for (const [columns, rows] of sizes) {
    terminal.resize(columns, rows);
    terminal.type('\u001B[B');
    await terminal.screen();
  }
  terminal.resize(100, 30);
  expect((await terminal.screen()).join('\n')).toContain(words);
}

describe('screens of a few rows and columns', () => {
  it('with a gate, a draft, a list of commands, a list and a whole screen', async () => {
    const built = await scene([]);
    mkdirSync(join(built.place.workspace, '.codex'));
    writeFileSync(join(built.place.workspace, '.codex/config.toml'), '');
    const shown = await openIn(built, { kind: 'new' });
    await shown.sees('Do you trust');
    await squeeze(shown, 'Do you trust');
    shown.terminal.type('3');
    await shown.sees('Context 100% left');
    shown.terminal.type('a draft of a few words');
    await squeeze(shown, '› a draft of a few words');
    shown.terminal.type('\u0003');
    shown.terminal.type('/');
    await shown.sees('/model');
    await squeeze(shown, '/model');
    shown.terminal.type('\u0003');
    shown.say('/permissions');
    await shown.sees('Read only');
    await squeeze(shown, 'Read only');
    shown.terminal.type('\u0003');
    shown.terminal.type('?');
    await shown.sees('Keys and commands');
    await squeeze(shown, 'Keys and commands');
    expect(shown.terminal.isStarted).toBe(true);
  });

  it('tells the whole command that continues the conversation', async () => {
    const built = await scene([answer({ items: [say('Hi.')], deltas: true })], 'approval_policy = "on-request"');
    const shown = await openIn(built, { kind: 'new' }, 30);
    await shown.sees('· 100% left');
    shown.say('Go.');
    await shown.sees('Worked for');
    const rows = (await shown.leave()).slice(-3);
    expect(rows[0]).toBe('To continue:');
    expect(rows.slice(1).join('')).toMatch(/^capstan resume [\w-]{36}$/);
  });

  it('with a question, and an answer that arrives meanwhile', async () => {
    const escalated = { cmd: 'echo out', sandbox_permissions: 'require_escalated', justification: 'Why not.' };
    const shown = await tuiScene([
      answer({ items: [callTool('exec_command', escalated)] }),
      answer({ items: [say('One two three four five six seven.\n\n| a | b |\n|---|---|\n| 1 | 2 |')], deltas: true }),
    ]);
    await shown.sees('Context');
    shown.say('Go.');
    await shown.sees('May this command run?');
    await squeeze(shown, 'yes, once');
    shown.terminal.resize(5, 1);
    // Nothing of it can be read there: all of it is shown, to its end, before a yes counts.
    for (const [key, row] of [
      ['y', 'Nothi'],
      ['G', 'rs.'],
    ] as const) {
      shown.terminal.type(key);
      await shown.sees(new RegExp(`^${row}$`));
    }
    shown.terminal.type('q');
    shown.terminal.type('y');
    const isOver = () => shown.place.lines().some(({ payload }) => payload['type'] === 'task_complete');
    await vi.waitUntil(isOver, { timeout: 20_000 });
    await shown.sees(/› Ask$/m);
    shown.terminal.resize(100, 30);
    // Nothing was printed while the screen was narrow, and so nothing is cut.
    await shown.sees(/One two three four five six seven\.[\s\S]*Worked for [<\d]/);
    shown.terminal.type('still here');
    expect((await shown.sees('› still here')).slice(0, 1)).toEqual(['$ echo before']);
  });
});
