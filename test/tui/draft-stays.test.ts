import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

const working = [
  answer({ items: [callTool('exec_command', { cmd: 'sleep 1' })] }),
  answer({ items: [say('The end.')], deltas: true }),
];

describe('a draft that is being written', () => {
  it('stays when a command of the queue puts words into the composer, which come behind it', async () => {
    const { sees, say: tell, terminal } = await tuiScene(working);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep');
    for (const keys of ['/mention', '\t', '\t']) terminal.type(keys);
    await sees('↳ /mention');
    terminal.type('words that I am writing');
    await sees('/mention waits until you have sent or cleared your draft');
    await sees('› words that I am writing');
    terminal.type('\u0003');
    expect((await sees(/› @\n/)).join('\n')).not.toContain('› words that I am writing');
  });

  it('is joined by what came back while it was in the editor', async () => {
    const built = await scene(working, 'approval_policy = "on-request"');
    const editor = join(built.place.root, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsleep 3\nprintf " edited" >> "$1"\n');
    chmodSync(editor, 0o755);
    vi.stubEnv('VISUAL', editor);
    const { sees, say: tell, terminal } = await openIn(built, { kind: 'new' });
    await sees('Context');
    tell('Go.');
    await sees('Running sleep');
    terminal.type('/nonsense words that took long');
    terminal.type('\t');
    await sees('↳ /nonsense');
    terminal.type('draft');
    terminal.type('\u0007');
    const rows = await sees(/draft edited/);
    expect(rows.join('\n')).toMatch(/› {1,2}\/nonsense words that took long\n {2}draft edited/);
  });
});
