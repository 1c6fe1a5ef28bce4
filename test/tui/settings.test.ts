import { writeFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

const reply = answer({ items: [say('Done.')], deltas: true });

describe('the settings of the terminal', () => {
  it('what is wrong is reported with its line, and the rest counts', async () => {
    const { sees, place } = await tuiScene(
      [reply],
      '[tui]\nnotification_method = "mail"\ntheme = "drak"\nstatus_line = ["model", "modle", "hostname"]\n',
    );
    const rows = (await sees('names no\n')).join('\n').replaceAll(/\n {2}(?! )/g, ' ');
    const config = join(place.home, 'config.toml');
    const at = (key: string): number =>
      readFileSync(config, 'utf8')
        .split('\n')
        .findIndex((line) => line.startsWith(key)) + 1;
    expect(rows).toContain(
      `⚠ ${config}:${at('notification_method')}: tui.notification_method must be one of "auto", "osc9", "bel", not "mail".`,
    );
    expect(rows).toContain(`${config}:${at('theme')}: tui.theme = "drak" names no theme.`);
    expect(rows).toContain('Did you mean dark?');
    expect(rows).toContain(`${config}:${at('status_line')}: tui.status_line names "modle"`);
    expect(rows).toMatch(/ gpt-[\w.-]+ · \S+ +Ask/);
    expect(rows).not.toContain('% left');
  });

  it('keys of Codex that do nothing here are named, once', async () => {
    const config = '[tui]\npet = "cat"\nraw_output_mode = true\n[tui.model_availability_nux]\nx = 1\n';
    const built = await scene([reply], config);
    const first = await openIn(built, { kind: 'new' });
    const rows = (await first.sees('does not support')).join('\n').replaceAll(/\s+/g, ' ');
    expect(rows).toContain('⚠ Capstan does not support tui.pet, tui.raw_output_mode: what the configuration says');
    await first.leave();
    const second = await openIn(built, { kind: 'new' });
    expect((await second.sees('Context 100% left')).join('\n')).not.toContain('does not support');
  });

  it('the window has a title, prompts have marks, and a user who looks elsewhere is called', async () => {
    vi.stubEnv('TERM', 'xterm-kitty');
    const escalated = { cmd: 'echo out', sandbox_permissions: 'require_escalated', justification: 'Why.' };
    const {
      sees,
      say: tell,
      terminal,
      leave,
    } = await tuiScene([answer({ items: [callTool('exec_command', escalated)] }), reply]);
    await sees('Context');
    terminal.type('Fix\u001B[200~ \u0007it\u001B[201~');
    await sees('› Fix it');
    tell('.');
    await sees('May this command run?');
    await vi.waitUntil(() => terminal.written.includes('Action required | Fix it. | '), { timeout: 20_000 });
    terminal.type('\u001B[O');
    terminal.type('y');
    await sees('Worked for');
    await vi.waitUntil(() => terminal.written.includes('\u001B]9;'), { timeout: 20_000 });
    await leave();
    const { written } = terminal;
    expect(written).toContain('\u001B]9;Capstan: Done.\u0007');
    expect(written).not.toContain('asks whether');
    expect(written).toMatch(/\u001B\]133;D\u0007\u001B\]133;A\u0007› Fix it\.\u001B\]133;B\u0007\u001B\]133;C\u0007/);
    const titles = [...written.matchAll(/\u001B\]0;([^\u0007]*)\u0007/g)].map(([, title]) => title);
    expect(titles[0]).toBe('workspace');
    expect(titles).toContain('Fix it. | workspace');
    expect(titles.at(-1)).toBe('');
    expect(titles.filter((title, index) => title === titles[index - 1])).toEqual([]);
  });

  it('nothing is written while nothing changes', async () => {
    const { sees, terminal } = await tuiScene([reply]);
    await sees('Context');
    await new Promise((resolve) => setTimeout(resolve, 100));
    // The start: the composer, then the conversation, and what is known of the folder.
    expect(terminal.written.match(/\u001B\[\?2026h/g)?.length).toBeLessThanOrEqual(3);
    const { length } = terminal.written;
    // Keys without an effect, reports of the terminal, and time.
    terminal.type('\u001B[I');
    terminal.type('\u001B[3~');
    terminal.type('\u001B[C');
    terminal.type('\u001B]11;rgb:0000/0000/0000\u0007');
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(terminal.written.slice(length)).toBe('');
    expect(terminal.written).not.toContain('\u001B[?2026h\u001B[?2026l');
  });

  it('nothing is tinted until the terminal has reported its background', async () => {
    vi.stubEnv('FORCE_COLOR', '3');
    const { sees, say: tell, terminal } = await tuiScene([reply, reply]);
    await sees('Context');
    tell('Hello.');
    await sees('Worked for');
    expect(terminal.written).not.toMatch(/48;[25];/);
    terminal.type('\u001B]11;rgb:0000/0000/0000\u0007');
    tell('Hello again.');
    await sees(/Worked for[^]*Worked for/);
    expect(terminal.written).toMatch(/48;2;42;45;51/);
  });

  it('a theme of the user is a file, and a file that is broken is named', async () => {
    const built = await scene([reply], '[tui]\ntheme = "mine"\nalternate_screen = "always"');
    const folder = join(built.place.home, 'themes');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'mine.json'), '{"colours":{"accent":"\\u001b]0;owned\\u0007"}}');
    const { sees, terminal } = await openIn(built, { kind: 'new' });
    await sees('"accent" of');
    expect(terminal.written).toContain('\u001B[?1049h');
    expect(terminal.written).not.toContain('owned');
  });
});

describe('commands that change how it looks', () => {
  it('/theme shows each on the screen, Esc restores, Enter saves and keeps comments', async () => {
    vi.stubEnv('FORCE_COLOR', '3');
    const { sees, terminal, say: tell, place } = await tuiScene([reply], '[tui] # mine\n# looks\nascii = false\n');
    await sees('Context');
    tell('/theme');
    await sees('Enter chooses and saves');
    const press = async (keys: string, until: string): Promise<string> => {
      const { length } = terminal.written;
      terminal.type(keys);
      await sees(until);
      await vi.waitUntil(() => terminal.written.length > length, { timeout: 20_000 });
      await new Promise((resolve) => setTimeout(resolve, 50));
      return terminal.written.slice(length);
    };
    expect(await press('light-high', 'light-high-contrast')).toContain('38;2;0;0;135m');
    terminal.type('\u001B');
    await sees('› Ask Capstan');
    expect(readFileSync(join(place.home, 'config.toml'), 'utf8')).not.toContain('theme');
    tell('/theme colour-blind');
    await sees('Theme: colour-blind.');
    expect(readFileSync(join(place.home, 'config.toml'), 'utf8')).toMatch(
      /\[tui\] # mine\n# looks\nascii = false\ntheme = "colour-blind"\n/,
    );
  });

  it('/statusline and /title change the line and the title, and save them', async () => {
    const { sees, terminal, say: tell, place } = await tuiScene([reply]);
    await sees('Context');
    tell('/statusline');
    await sees('☑ model-with-reasoning');
    terminal.type('context-rem ');
    terminal.type('\r');
    await vi.waitUntil(() => readFileSync(join(place.home, 'config.toml'), 'utf8').includes('status_line = ['), {
      timeout: 20_000,
    });
    await sees(/› Ask Capstan to do anything\n\n {2}gpt-\S+ · \/tmp/);
    tell('/title');
    await sees('Title: workspace');
    terminal.type('hostname ');
    terminal.type('\r');
    await vi.waitUntil(() => readFileSync(join(place.home, 'config.toml'), 'utf8').includes('"hostname"]'), {
      timeout: 20_000,
    });
    await vi.waitFor(() => expect(terminal.written).toMatch(/\u001B\]0;workspace \| \S+\u0007/), { timeout: 20_000 });
  });
});
