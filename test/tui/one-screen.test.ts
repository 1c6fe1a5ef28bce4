import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { MemoryTerminal } from '../harness/memory-terminal.ts';
import { openIn } from './tui-scene.ts';

const done = (text: string) => answer({ items: [say(text)], deltas: true });

describe('a terminal with one screen, such as GNU screen as it comes', () => {
  it('keeps all that stood there behind views, and has no full screen', async () => {
    const built = await scene([done('First answer.'), done('Second answer.')], 'approval_policy = "on-request"');
    const terminal = new MemoryTerminal(80, 16);
    terminal.keepsScreen = false;
    const { sees, say: tell, leave } = await openIn(built, { kind: 'new' }, 80, { isFull: true }, { terminal });
    await sees('Context');
    await sees('Put the line "altscreen on" into ~/.screenrc');
    tell('One.');
    await sees('• First answer.');
    tell('/help');
    await sees('Keys and commands');
    terminal.type('q');
    await sees('Ask Capstan to do anything');
    tell('/tui');
    await sees(/altscreen[^]*altscreen/);
    tell('Two.');
    await sees('• Second answer.');
    const rows = (await leave()).join('\n');
    expect(rows).toMatch(
      /^\$ echo before\nbefore\n[^]*› One\.\n[^]*• First answer\.[^]*› Two\.\n[^]*• Second answer\./,
    );
    expect(rows).not.toContain('Keys and commands');
    expect(rows).not.toContain('› /');
  });
});
