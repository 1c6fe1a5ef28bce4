import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { type TuiScene, tuiScene } from './tui-scene.ts';

async function oneTurn(): Promise<TuiScene> {
  const opened = await tuiScene([answer({ items: [say('Do **this**:\n\n```sh\nls -l\n```')], deltas: true })]);
  await opened.sees('Context 100% left');
  opened.say('How?');
  await opened.sees(/ls -l\n\n {2}Worked for/);
  return opened;
}

const copied = (terminal: TuiScene['terminal']): readonly string[] =>
  [...terminal.written.matchAll(/\u001B\]52;c;([\w+/=]*)\u0007/g)].map(([, text = '']) =>
    Buffer.from(text, 'base64').toString(),
  );

describe('what can be done with a conversation', () => {
  it('answers and their parts are copied, and shown as they were written', async () => {
    for (const name of ['DISPLAY', 'WAYLAND_DISPLAY', 'TMUX', 'WSL_DISTRO_NAME']) vi.stubEnv(name, '');
    vi.stubEnv('SSH_TTY', '/dev/pts/9');
    whenTestEnds(() => void vi.unstubAllEnvs());
    const { terminal, sees, say: tell } = await oneTurn();
    terminal.type('\u000F');
    await sees('The answer (29 characters) was copied to the terminal.');
    tell('/copy');
    await sees('2. code, sh');
    terminal.type('2');
    await sees('Code, sh (5 characters) was copied to the terminal.');
    expect(copied(terminal)).toEqual(['Do **this**:\n\n```sh\nls -l\n```', 'ls -l']);
    tell('/raw');
    expect((await sees('Do **this**:')).join('\n')).toContain('```sh\nls -l\n```');
    terminal.type('q');
  });

  it('is exported once, and replaced only after a yes', async () => {
    const { terminal, sees, say: tell, place } = await oneTurn();
    const read = (): string => readFileSync(join(place.workspace, 'talk.md'), 'utf8');
    tell('/export');
    await sees(/was written to\s+rollout-\S+\.md/);
    tell('/export talk.md');
    await sees('The conversation was written to talk.md.');
    expect(read()).toMatch(/^# How\?\n[\s\S]*Do \*\*this\*\*/);
    tell('/rename My talk');
    await sees('is now called My talk');
    tell('/export talk.md');
    await sees('talk.md exists already. Replace it?');
    terminal.type('\r');
    await vi.waitUntil(async () => !(await terminal.screen()).join('\n').includes('Replace it?'), { timeout: 20_000 });
    expect(read()).toMatch(/^# How\?/);
    tell('/export talk.md');
    await sees('› 1. no');
    terminal.type('2');
    await vi.waitUntil(() => read().startsWith('# My talk'), { timeout: 20_000 });
    expect(readdirSync(place.workspace).filter((name) => name.endsWith('.md'))).toHaveLength(2);
  });

  it('is archived, and deleted only after a yes', async () => {
    const { terminal, sees, say: tell, place } = await oneTurn();
    tell('/archive');
    const rows = (await sees('The conversation is archived.')).join('\n');
    expect((await place.run('threads', 'list')).stdout).not.toContain('How?');
    const [, id = ''] = /\/resume\s+([\w-]{36})/.exec(rows) ?? [];
    tell(`/resume ${id}`);
    await sees('This conversation is archived.');
    terminal.type('1');
    await sees(/The conversation is archived[^]*• Do this:/);
    tell('/delete');
    await sees('Delete this conversation?');
    terminal.type('\r');
    await vi.waitUntil(async () => !(await terminal.screen()).join('\n').includes('Delete this'), { timeout: 20_000 });
    expect(place.rollouts()).toHaveLength(1);
    tell('/delete');
    await sees('› 1. no');
    terminal.type('2');
    await sees('The conversation is deleted.');
    expect(place.rollouts()).toHaveLength(0);
    tell('/delete');
    await sees('has no message yet');
  });
});
