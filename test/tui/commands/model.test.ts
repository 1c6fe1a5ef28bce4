import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../../src/testing/index.ts';
import { tuiScene } from '../tui-scene.ts';

describe('/model', () => {
  it('marks what is current and default, saves the choice, or keeps it to the conversation', async () => {
    const { sees, say: tell, terminal, place, model } = await tuiScene([answer({ items: [say('Hi.')] })]);
    const config = (): string => readFileSync(join(place.home, 'config.toml'), 'utf8');
    const before = config();
    await sees('Context 100% left');
    tell('/model');
    await sees(/› 1\. gpt-5\.5 {2}\(current\) default, [\d.]+K window/);
    terminal.type('1');
    const rows = (await sees('Effort of gpt-5.5')).join('\n');
    expect(rows).toContain('Enter saves it as default, s keeps it to this conversation');
    expect(rows).toMatch(/medium {2,}\(current\) default, usual for this model/);
    expect(rows).toContain('More reasoning…');
    expect(rows).not.toContain('xhigh');
    terminal.type('k');
    terminal.type('s');
    await sees('The next turn uses gpt-5.5 (low).');
    expect(config()).toBe(before);
    tell('/model gpt-5.5');
    await sees('More reasoning…');
    terminal.type('G');
    terminal.type('\u001B[F\r');
    await sees('More reasoning of gpt-5.5');
    terminal.type('\r');
    await sees('The next turn uses gpt-5.5 (xhigh). It is the default of new conversations.');
    expect(config()).toBe(`model_reasoning_effort = "xhigh"\n${before}`);
    // Down from the top to the highest of the usual ones, and not up again.
    terminal.type('\u001B,');
    await sees('The next turn uses gpt-5.5 (high).');
    terminal.type('\u001B.');
    await sees('no higher effort by key');
    tell('/model gpt-5.5 low');
    await sees(/effort by key[^]*The next turn uses gpt-5\.5 \(low\)/);
    tell('Go.');
    await sees('• Hi.');
    expect(model.requests[0]?.body['reasoning']).toMatchObject({ effort: 'low' });
  });

  it('opens the efforts of another model at its usual one, which Enter saves', async () => {
    const { sees, say: tell, terminal, place } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/model gpt-5.6-luna');
    await sees(/› 2\. medium {2,}usual for this model/);
    terminal.type('\r');
    await sees(/The next turn uses gpt-5\.6-luna \(medium\)\. It is the default of new/);
    expect(readFileSync(join(place.home, 'config.toml'), 'utf8')).toContain('model_reasoning_effort = "medium"');
  });

  it('refuses a word that is no effort, with the efforts, and leaves it in the draft', async () => {
    const { sees, say: tell, terminal } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/model gpt-5.5 enormous');
    await sees(/■ .*enormous[^]*Choose one of these:\s+low, medium/);
    expect((await sees('› /model gpt-5.5 enormous')).join('\n')).not.toContain('The next turn uses');
    terminal.type('\u0003');
    tell('/model unheard-of hi');
    await sees(/■ There is no reasoning effort "hi"\.[^]*› \/model unheard-of hi/);
    terminal.type('\u0003');
    tell('/model a b c');
    await sees('Use /model, /model NAME or /model NAME EFFORT.');
  });
});
