import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    const { terminal, sees, place } = await tuiScene(
      [answer({ items: [say('All is well.')], deltas: true })],
      settings,
    );
    const config = join(place.home, 'config.toml');
    const line = readFileSync(config, 'utf8').split('\n').indexOf('interrupt_turn = "ctrl-c"') + 1;
    const warned = (await sees('which is fixed')).join('\n').replaceAll(/\n +/g, ' ');
    expect(warned).toContain(`${config}:${line}: tui.keymap.chat.interrupt_turn has ctrl+c, which is fixed`);
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
    await sees(/› composer\.submit +alt\+s +config\.toml/);
  });

  it('are bound on the screen: at once, in config.toml, and not without a word about another action', async () => {
    const { terminal, sees, place } = await tuiScene(
      [answer({ items: [say('All is well.')], deltas: true })],
      '# Mine.\n[tui.keymap.chat] # of the conversation\ninterrupt_turn = "f7" # far away\n',
    );
    await sees('Context');
    terminal.type('/keymap\r');
    await sees('› composer.submit');
    // It answers that it is a terminal, and nothing about a protocol for keys.
    terminal.type('\u001B[?62;22c');
    terminal.type('newline');
    await sees('This terminal sends enter for shift+enter');
    terminal.type('\u007F'.repeat(7));
    terminal.type('submit');
    await sees(/› composer\.submit +enter +default/);
    terminal.type('\r');
    await sees('Keys of composer.submit');
    terminal.type('1');
    await sees('New key for composer.submit');
    await sees('This terminal sends the same for Enter and Ctrl+Enter');
    terminal.type('\u001B[Z');
    await sees('This is shift+tab, which is fixed');
    terminal.type('x');
    await sees('which types a character');
    terminal.type('\u001B[18~');
    await sees('f7 is a key of chat.interrupt_turn');
    terminal.type('1');
    await sees('Press it.');
    terminal.type('\u0018s');
    await sees('composer.submit: ctrl+x s. Saved in config.toml.');
    const config = join(place.home, 'config.toml');
    expect(readFileSync(config, 'utf8')).toContain('[tui.keymap.composer]\nsubmit = "ctrl-x s"\n');
    terminal.type('\r2');
    await sees('New key for composer.submit');
    terminal.type('\u001B[18~');
    await sees('chat.interrupt_turn then has no key');
    terminal.type('2');
    await sees('composer.submit: ctrl+x s, f7. Saved in config.toml.');
    expect(readFileSync(config, 'utf8')).toContain(
      '# Mine.\n[tui.keymap.chat] # of the conversation\ninterrupt_turn = [] # far away\n',
    );
    terminal.type('\u001B');
    await sees('Ask Capstan');
    terminal.type('How is it?\r');
    terminal.type('\u001B[18~');
    await sees('All is well.');
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
    terminal.type('\u001B');
    await sees('Vim: Normal');
    terminal.type('/of m');
    await sees(/\n {2}\/of m\n/);
    terminal.type('\r');
    terminal.type('wRMANY');
    await sees(/one of MANY words[^]*Vim: Replace/);
    expect(terminal.written).toContain('\u001B[4 q');
    terminal.type('\u007F\u007F\u007F\u007F');
    await sees('one of many words');
    terminal.type('\u001B');
    await sees('Vim: Normal');
    terminal.type('?zz\r');
    await sees('?zz: no match');
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
    // A user who turns it on is about to type.
    scene.say('/vim');
    await sees(/Vim mode is on, in insert mode[^]*Vim: Insert/);
    terminal.type('words');
    await sees('› words');
    terminal.type('\u001B');
    await sees(/› words[^]*Vim: Normal/);
    terminal.type('dd');
    await sees('› Ask Capstan to do anything');
    await scene.leave();
    expect(terminal.written.match(/\u001B\[\d q/g)?.at(-1)).toBe('\u001B[0 q');
  });
});
