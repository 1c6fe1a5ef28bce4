import { describe, expect, it, vi } from 'vitest';
import { answer, callTool, httpError, say } from '../../src/testing/index.ts';
import { tuiScene } from './tui-scene.ts';

const escalated = { cmd: 'echo out', sandbox_permissions: 'require_escalated', justification: 'It has to leave.' };

describe('a conversation for a screen reader', () => {
  it('says each thing once, in words, and draws nothing again', async () => {
    vi.stubEnv('CAPSTAN_SCREEN_READER', '1');
    const {
      sees,
      say: tell,
      terminal,
      leave,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1.5; echo slept' })] }),
      answer({ items: [callTool('exec_command', escalated)] }),
      answer({ items: [say('| a | b |\n|---|---|\n| 1 | 2 |\n\nDone.')], deltas: true }),
    ]);
    await sees('via scripted');
    tell('Go.');
    await sees('Running sleep 1.5');
    const { length } = terminal.written;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    // No seconds that count, and no line that blinks. The title is not on the screen.
    expect(terminal.written.slice(length).replaceAll(/\u001B\]0;[^\u0007]*\u0007/g, '')).toBe('');
    await sees('May this command run?');
    terminal.type('y');
    await sees('Worked for');
    const rows = (await leave()).join('\n');
    expect(rows).toMatch(
      /\nYou: Go\.\nWorking\. Escape interrupts\.\nRunning sleep 1\.5; echo slept\n+Ran sleep 1\.5; echo slept \(\ds\)\n {4}slept\n/,
    );
    expect(rows).toContain('You allowed Capstan to run echo out');
    expect(rows).toContain('Capstan: a: 1\nb: 2\n\nDone.');
    expect(rows.match(/Running sleep/g)).toHaveLength(1);
    expect(rows.match(/Working\. Escape/g)).toHaveLength(1);
    expect(rows).toMatch(/^[\n -~]*$/);
  });

  it('a key writes the letter that was typed, and nothing else', async () => {
    const { sees, terminal } = await tuiScene([], '[tui]\nscreen_reader = true');
    await sees('Ask Capstan');
    await vi.waitUntil(() => terminal.written.includes('\u001B]0;'), { timeout: 20_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    terminal.type('he');
    await sees('> he');
    const { length } = terminal.written;
    terminal.type('l');
    await sees('> hel');
    expect(terminal.written.slice(length)).toBe('\u001B[?2026hl\u001B[?2026l');
  });

  it('names the keys that the user has bound', async () => {
    vi.stubEnv('CAPSTAN_SCREEN_READER', '1');
    const keys = '[tui.keymap.chat]\ninterrupt_turn = "f7"\n[tui.keymap.editor]\nmove_up = "f8"';
    const refused = httpError({ status: 401, body: { error: { message: 'No.' } } });
    // A turn that ends at once may have no frame in which it works.
    const works = answer({ items: [say('One moment.')], firstByteDelayMs: 200, endTurn: false });
    const { sees, say: tell } = await tuiScene([works, refused], `approval_policy = "on-request"\n${keys}`);
    await sees('via scripted');
    tell('Go.');
    await sees('Working. F7 interrupts.');
    expect(await sees('R tries again, F8 restores the message.')).toBeDefined();
  });
});
