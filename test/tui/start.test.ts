import { describe, expect, it, vi } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

const done = (text: string) => answer({ items: [say(text)], deltas: true });

/** Rows with the words, over the whole scrollback. */
const having = (rows: readonly string[], words: string): number => rows.filter((row) => row.includes(words)).length;

describe('the start of a conversation', () => {
  it('leaves no second header and no second composer behind, also if the size changes meanwhile', async () => {
    const built = await scene([done('Hello.')]);
    const { sees, terminal, say: tell, leave } = await openIn(built, { kind: 'new' }, 100);
    // The composer is there before the engine, and is in use.
    expect(terminal.written).toContain('Ask Capstan');
    expect(terminal.written).not.toContain('>_ Capstan');
    terminal.type('a draft');
    terminal.resize(60, 12);
    terminal.resize(90, 30);
    const rows = await sees('Context 100% left');
    expect([having(rows, '>_ Capstan'), having(rows, '› a draft'), having(rows, 'Ask Capstan')]).toEqual([1, 1, 0]);
    tell(' sent.');
    await sees('Worked for');
    const all = await leave();
    expect([having(all, '>_ Capstan'), having(all, '› a draft'), having(all, 'Ask Capstan')]).toEqual([1, 1, 0]);
    expect(all.slice(0, 2)).toEqual(['$ echo before', 'before']);
  });

  it('has a tip below the status line until the first message, never among the answers', async () => {
    const { sees, terminal, say: tell, leave } = await tuiScene([done('An answer.')]);
    const rows = (await sees(/Context 100% left.*\n {2}Tip: /)).join('\n');
    expect(rows.match(/Tip:/g)).toHaveLength(1);
    tell('Go.');
    await sees(/An answer\.\n\n {2}Worked for/);
    expect(having(await terminal.all(), 'Tip:')).toBe(0);
    expect(having(await leave(), 'Tip:')).toBe(0);
  });

  it('has another tip at each start, and none in a terminal that is too low', async () => {
    const built = await scene([]);
    const tips: (string | undefined)[] = [];
    for (const rows of [24, 24, 9, 24]) {
      const { sees, leave } = await openIn(built, { kind: 'new' }, 100, {}, { rows });
      const shown = (await sees(rows < 10 ? 'Context 100% left' : 'Tip: ')).join('\n');
      tips.push(/Tip: (.*)/.exec(shown)?.[1]);
      await leave();
    }
    const [first, second, none, third] = tips;
    expect(none).toBeUndefined();
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('sends no prompt of blanks', async () => {
    const built = await scene([done('Once.')]);
    const { sees, say: tell } = await openIn(built, { kind: 'new' }, 80, { prompt: ' \n ' });
    await sees(/› Ask Capstan[^]*Context 100% left/);
    tell('Go.');
    await sees('Worked for');
    expect(built.model.requests).toHaveLength(1);
  });

  it('names the conversation by the first words, without a request for it', async () => {
    vi.stubEnv('TERM', 'xterm-kitty');
    const { sees, terminal, say: tell, model } = await tuiScene([done('Fixed.')]);
    await sees('Context 100% left');
    tell('Fix the mill.');
    await sees('Worked for');
    await vi.waitUntil(() => terminal.written.includes('\u001B]0;Fix the mill. | workspace\u0007'), {
      timeout: 20_000,
    });
    expect(model.requests).toHaveLength(1);
  });
});
