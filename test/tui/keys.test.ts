import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { tuiScene } from './tui-scene.ts';

const settings = `approval_policy = "on-request"

[tui.keymap.composer]
submit = "alt-s"

[tui.keymap.global]
open_transcript = "ctrl-x t"

[tui.keymap.pager]
close = "z"

[tui.keymap.chat]
interrupt_turn = "ctrl-c"
`;

describe('keys that the user has bound', () => {
  it('do what they are bound to, the old ones do nothing, and hints name them', async () => {
    const { terminal, sees } = await tuiScene([answer({ items: [say('All is well.')], deltas: true })], settings);
    await sees('tui.keymap.chat.interrupt_turn has ctrl+c, which is fixed');
    terminal.type('How is it?');
    terminal.type('\r');
    await sees('› How is it?');
    terminal.type('\u001Bs');
    await sees('All is well.');
    terminal.type('\u0018');
    await sees('ctrl+x waits for the next key');
    terminal.type('t');
    await sees('z closes');
    terminal.type('z');
    terminal.type('?');
    await sees('alt+s');
    terminal.type('z');
    terminal.type('/keymap');
    terminal.type('\u001Bs');
    const rows = await sees('composer.submit (config.toml)');
    expect(rows.join('\n')).toContain('› alt+s ');
  });
});

describe('Vim mode', () => {
  it('begins with the setting, sends from normal mode, and gives the cursor back', async () => {
    const scene = await tuiScene(
      [answer({ items: [say('Two.')], deltas: true }), answer({ items: [say('Three.')], deltas: true })],
      '[tui]\nvim_mode_default = true\nkeymap.global.open_transcript = "ctrl-x e"',
    );
    const { terminal, sees } = scene;
    await sees('Vim: Normal');
    terminal.type('ione of many words that come at once, two');
    await sees('Vim: Insert');
    expect(terminal.written).toContain('\u001B[6 q');
    terminal.type('\u001B');
    await sees('Vim: Normal');
    terminal.type('bcwthree');
    await sees('at once, three');
    terminal.type('\r');
    await sees('Two.');
    await sees('Vim: Normal');
    terminal.type('k');
    await sees(/› one of many words that come at once, three\s*\n\s*\n.*Vim: Normal/);
    terminal.type('\u0018e');
    await sees('q closes');
    terminal.type('q');
    // A key that ends no chord is a command of Vim.
    terminal.type('\u0018d');
    terminal.type('d');
    await sees('› Ask Capstan to do anything');
    terminal.type('/vim');
    terminal.type('\r');
    await sees('Vim mode is off.');
    await scene.leave();
    expect(terminal.written.match(/\u001B\[\d q/g)?.at(-1)).toBe('\u001B[0 q');
  });
});
