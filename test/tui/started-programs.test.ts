import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { type Scene, scene } from '../harness/scene.ts';
import { openIn } from './tui-scene.ts';

/** A folder of the workspace stands first in the search path, as npx and direnv put it, with programs in it. */
function planted({ place }: Scene, names: readonly string[]): () => readonly string[] {
  const folder = join(place.workspace, 'node_modules/.bin');
  mkdirSync(folder, { recursive: true });
  for (const name of names)
    writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${place.root}/ran-${name}'\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  return () => names.filter((name) => existsSync(join(place.root, `ran-${name}`)));
}

describe('no program of a folder that commands may write is started', () => {
  it('to copy an answer: the terminal copies it', async () => {
    const built = await scene([answer({ items: [say('Done.')] })]);
    const ran = planted(built, ['wl-copy', 'xclip', 'xsel', 'tmux']);
    for (const name of ['WAYLAND_DISPLAY', 'DISPLAY', 'TMUX']) vi.stubEnv(name, 'x');
    for (const name of ['SSH_TTY', 'SSH_CONNECTION', 'SSH_CLIENT', 'WSL_DISTRO_NAME']) vi.stubEnv(name, '');
    const { say: tell, sees, terminal } = await openIn(built, { kind: 'new' });
    tell('go');
    await sees(/Done\.[\s\S]*Context/);
    terminal.type('\u000F');
    await sees(/was copied to/);
    expect(ran()).toEqual([]);
  });

  it('to edit the draft, also where the editor is set by its name', async () => {
    const built = await scene([]);
    const ran = planted(built, ['my-editor']);
    vi.stubEnv('VISUAL', 'my-editor 2>/dev/null');
    const { sees, terminal } = await openIn(built, { kind: 'new' });
    await sees('Context');
    terminal.type('\u0007');
    await sees('my-editor 2>/dev/null ended with 127: the draft is as it was.');
    expect(ran()).toEqual([]);
  });
});
