import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, httpError, say } from '../../src/testing/index.ts';
import { inputOf } from '../harness/scene.ts';
import { tuiScene } from './tui-scene.ts';

const esc = '\u001B';
const done = (text: string) => answer({ items: [say(text)], deltas: true });
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('what is typed in one go happens in that order', () => {
  it('a message is sent with what the command before it has changed', async () => {
    const { sees, say: tell, model } = await tuiScene([done('Heard.')]);
    await sees('Context');
    tell('/model gpt-5.5 low');
    tell('/model gpt-5.5 high');
    tell('Hello.');
    await sees('• Heard.');
    expect(model.requests[0]?.body['reasoning']).toMatchObject({ effort: 'high' });
  });

  it('a message behind a command that asks for a choice waits for the choice', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene([done('Heard.')]);
    await sees('Context');
    tell('/permissions');
    tell('Hello.');
    await sees(/↳ Hello\.[^]*Read only|Read only/);
    expect(model.requests).toHaveLength(0);
    terminal.type(esc);
    await sees('• Heard.');
  });

  it('behind /fork, r is a letter: it tries nothing again in the conversation that is left', async () => {
    const refused = httpError({ status: 400, body: JSON.stringify({ error: { message: 'No.' } }) });
    const { sees, say: tell, terminal, model } = await tuiScene([refused, done('Late.')]);
    await sees('Context');
    tell('Go.');
    await sees('r tries again');
    tell('/fork');
    for (const sign of 'rather') terminal.type(sign);
    await sees('› rather');
    await sees(/[Ff]ork[^]*› rather/);
    expect(model.requests).toHaveLength(1);
  });

  it('keys that change the thread wait for the command before them', async () => {
    const { sees, say: tell, terminal } = await tuiScene([done('Heard.'), done('Planned.')]);
    await sees('Context');
    tell('Hello.');
    await sees(/Heard\.\n\n {2}Worked/);
    tell('/new');
    terminal.type('\u001B[Z');
    tell('Plan it.');
    expect((await sees(/• Planned\.[^]*Plan mode$/m)).join('\n')).toContain('› Plan it.');
  });

  it('a command that has to wait for a turn is refused when the command before it has begun one', async () => {
    const { sees, say: tell, model } = await tuiScene([done('Written.')]);
    await sees('Context');
    tell('/init');
    tell('/new');
    await sees('/new has to wait until the turn ends.');
    await sees('• Written.');
    expect(model.requests).toHaveLength(1);
  });

  it('words for the turn that runs are read in their order, also if the first have a picture', async () => {
    const slow = answer({ items: [callTool('exec_command', { cmd: 'sleep 1' })] });
    const { sees, say: tell, terminal, model, place } = await tuiScene([slow, done('Heard.')]);
    const file = join(place.workspace, 'a.png');
    writeFileSync(file, png);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep 1');
    terminal.type(`\u001B[200~${file}\u001B[201~`);
    await sees('› [Image #1]');
    tell('first');
    tell('second');
    await sees('• Heard.');
    const sent = inputOf(model, 1).map((item) => JSON.stringify(item));
    const first = sent.findIndex((text) => text.includes('first') && text.includes('image_url'));
    expect(first).toBeGreaterThan(0);
    expect(sent.findIndex((text) => text.includes('"second"'))).toBeGreaterThan(first);
  });
});
