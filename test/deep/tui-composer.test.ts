import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';

describe('the composer on a real terminal', () => {
  beforeAll(requireTmux);

  it('a draft goes through the user’s editor and back, with a file of the folder and a paste', async () => {
    const { place, model } = await scene([answer({ items: [say('All read.')], deltas: true })]);
    mkdirSync(join(place.workspace, 'src'), { recursive: true });
    writeFileSync(join(place.workspace, 'src/parser.ts'), '');
    const editor = join(place.home, 'editor.sh');
    const seen = join(place.home, 'seen');
    const edit = 'printf "Edited %s: %s  \\n\\n" "$(wc -c < "$1")" "$(head -c 24 "$1")" > "$1"';
    const wait = `until [ -e '${seen}' ]; do sleep 0.1; done`;
    writeFileSync(editor, `#!/bin/sh\n${wait}; ${edit}\n`, { mode: 0o755 });
    const shell = new TmuxShell(place);
    shell.type(`unset VISUAL; export EDITOR=${editor}; clear`);
    shell.press('Enter');
    shell.start();
    await shell.sees('Context 100% left');
    shell.type('Look at @pars');
    await shell.sees('› src/parser.ts', 'screen');
    shell.press('Tab');
    await shell.sees('› Look at src/parser.ts', 'screen');
    shell.paste(`${'long line\n'.repeat(200)}`);
    await shell.sees('[Pasted Content 2000 chars, 200 lines]', 'screen');
    shell.press('C-g');
    await shell.sees('Save and close the editor to go on.', 'screen');
    writeFileSync(seen, '');
    await shell.sees('› Edited 2022: Look at src/parser.ts lo', 'screen');
    shell.press('Enter');
    const rows = await shell.sees('All read.');
    expect(rows).not.toContain('Save and close');
    expect(textsOf(inputOf(model, 0)).at(-1)).toBe('Edited 2022: Look at src/parser.ts lo');
    shell.press('Up');
    await shell.sees(/All read[\s\S]*› Edited 2022: Look at/);
    shell.press('C-c');
    shell.press('C-r');
    shell.type('PARSER');
    await shell.sees(/› Edited 2022: Look at[\s\S]*reverse-i-search: PARSER/, 'screen');
  });
});
