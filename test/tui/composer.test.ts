import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, hang, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

describe('mentions', () => {
  it('a file by letters of its path, and a skill, which the model then reads', async () => {
    const {
      sees,
      terminal,
      place,
      model,
      say: tell,
    } = await tuiScene([answer({ items: [say('Read.')], deltas: true })]);
    mkdirSync(join(place.workspace, 'src'), { recursive: true });
    writeFileSync(join(place.workspace, 'src/two words.ts'), '');
    const skill = join(place.home, 'skills/release');
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: release\ndescription: Makes a release.\n---\nTag it first.\n');
    await sees('Context 100% left');
    terminal.type('see @two');
    await sees('› src/two words.ts');
    terminal.type('\t');
    await sees('› see "src/two words.ts"');
    terminal.type('by $rel');
    await sees('$release  Makes a release.');
    tell('');
    await sees('› see "src/two words.ts" by $release');
    tell('');
    await sees('• Read.');
    const texts = textsOf(inputOf(model, 0));
    expect(texts).toContain('see "src/two words.ts" by $release');
    expect(texts.join('\n')).toContain('Tag it first.');
  });
});

describe('history', () => {
  it('what was sent in another conversation is recalled, and searched', async () => {
    const built = await scene([
      answer({ items: [say('One.')], deltas: true }),
      answer({ items: [say('Two.')], deltas: true }),
    ]);
    const first = await openIn(built, { kind: 'new' });
    await first.sees('Context 100% left');
    first.say('remember me');
    await first.sees('• One.');
    await first.leave();
    const lines = readFileSync(join(built.place.home, 'history.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ text: 'remember me' }]);
    const { sees, terminal, say: tell } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    terminal.type('\u001B[A');
    await sees('› remember me');
    terminal.type('\u0003draft\u0012');
    await sees('reverse-i-search:');
    terminal.type('MEMB');
    await sees('› remember me');
    tell('');
    tell('');
    await sees('• Two.');
  });
});

describe('pictures', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const paste = (text: string): string => `\u001B[200~${text}\u001B[201~`;

  it('a pasted path becomes one, and goes to the model with its number; alone it is a message', async () => {
    const {
      sees,
      terminal,
      place,
      model,
      say: tell,
    } = await tuiScene([answer({ items: [say('Seen.')], deltas: true })]);
    const file = join(place.workspace, 'two words.png');
    writeFileSync(file, png);
    await sees('Context 100% left');
    terminal.type(paste(`'${file}'`));
    await sees('› [Image #1]');
    tell('');
    await sees('• Seen.');
    const [message] = inputOf(model, 0).slice(-1);
    expect(JSON.stringify(message)).toContain(`"image_url":"data:image/png;base64,${png.toString('base64')}"`);
    expect(JSON.stringify(message)).toContain('<image name=[Image #1]');
    terminal.type('\u001B[A');
    await sees(/Seen[\s\S]*› \[Image #1\]/);
  });

  it('one that cannot be read is not sent, and the draft stays with all of it', async () => {
    const { sees, terminal, place, model, say: tell } = await tuiScene([]);
    const file = join(place.workspace, 'broken.png');
    writeFileSync(file, 'no picture');
    await sees('Context 100% left');
    terminal.type('look ');
    terminal.type(paste(file));
    await sees('[Image #1]');
    tell(' here');
    await sees('broken.png is not an image in a format');
    await sees('› look [Image #1]  here');
    expect(model.requests).toHaveLength(0);
  });

  it('for a model that takes none a line says so, and a path stays a text', async () => {
    const built = await scene([], 'model_catalog_json = "models.json"\napproval_policy = "on-request"');
    const models = [{ slug: 'gpt-5.5', context_window: 272_000, input_modalities: ['text'] }];
    writeFileSync(join(built.place.home, 'models.json'), JSON.stringify({ models }));
    const { sees, terminal, place } = await openIn(built, { kind: 'new' });
    writeFileSync(join(place.workspace, 'a.png'), png);
    await sees('Context');
    terminal.type(`see ${paste(join(place.workspace, 'a.png'))}`);
    await sees(/› see \/\S*a\.png/);
    terminal.type('\u0016');
    await sees('gpt-5.5 does not take pictures.');
    expect((await sees(/› see \/\S*a\.png/)).join('\n')).not.toContain('[Image');
  });
});

/**
 * Waits for a time in which nothing held this process up: a program that was held up waits longer for the rest of a paste.
 * After thirty seconds without one the paste is over all the same.
 */
async function pasteIsOver(): Promise<void> {
  for (let late = Infinity, rounds = 0; late > 20 && rounds < 100; rounds += 1) {
    const due = performance.now() + 300;
    await new Promise((resolve) => setTimeout(resolve, 300));
    late = performance.now() - due;
  }
}

describe('pastes', () => {
  const paste = (text: string): string => `\u001B[200~${text}\u001B[201~`;

  it('one is opened and changed, and the model gets it whole', async () => {
    const { sees, terminal, model, say: tell } = await tuiScene([answer({ items: [say('Ok.')], deltas: true })]);
    await sees('Context 100% left');
    terminal.type(paste(`!${'line\r\n'.repeat(300)}`));
    await sees('› [Pasted Content 1501 chars, 300 lines]');
    terminal.type('\u001B[D');
    await sees('Enter opens the paste');
    terminal.type('\r');
    await sees('row 1 of 301');
    terminal.type('\u001B[3~\u001B[3~L\u001B');
    await sees('› [Pasted Content 1500 chars, 300 lines]');
    terminal.type('\u0005');
    tell(' end');
    await sees('• Ok.');
    expect(textsOf(inputOf(model, 0)).at(-1)).toBe(`${'Line\n'}${'line\n'.repeat(299)} end`);
  });

  it('of a terminal that does not mark them is no message for each line', async () => {
    const { sees, terminal, model } = await tuiScene([answer({ items: [say('Ok.')], deltas: true })]);
    terminal.marksPastes = false;
    await sees('Context 100% left');
    for (const part of ['first li', 'ne\r', 'second', '\r']) terminal.type(part);
    await sees(/› first line\n {2}second\n/);
    await pasteIsOver();
    terminal.type('\r');
    await sees('• Ok.');
    expect(textsOf(inputOf(model, 0)).at(-1)).toBe('first line\nsecond');
  });

  it.each([
    [['first\rsecond\rthird', '\r', 'fourth\r', 'fifth'], 'first\nsecond\nthird\nfourth\nfifth'],
    [['Read this:\rone\r', 'x\r', '!w', '\r', 'rest'], 'Read this:\none\nx\n!w\nrest'],
    [['a\r', 'b\r', '!touch ran\r', 'c'], 'a\nb\n!touch ran\nc'],
  ])('in whatever pieces it comes: %j', async (pieces, words) => {
    const { sees, terminal, model, place } = await tuiScene([answer({ items: [say('Ok.')], deltas: true })]);
    terminal.marksPastes = false;
    await sees('Context 100% left');
    for (const piece of pieces) terminal.type(piece);
    await sees(`› ${words.replaceAll('\n', '\n  ')}`);
    await pasteIsOver();
    terminal.type('\r');
    await sees('• Ok.');
    expect(textsOf(inputOf(model, 0)).at(-1)).toBe(words);
    expect(existsSync(join(place.workspace, 'ran'))).toBe(false);
  });

  it('in pieces stands as one element when it is long', async () => {
    const { sees, terminal } = await tuiScene([]);
    terminal.marksPastes = false;
    await sees('Context 100% left');
    const text = 'line of words\r'.repeat(120);
    for (let at = 0; at < text.length; at += 64) terminal.type(text.slice(at, at + 64));
    const rows = await sees('› [Pasted Content 1680 chars, 120 lines]');
    expect(rows.join('\n')).not.toContain('line of words');
  });

  it('over the limit the draft stays as it is', async () => {
    const { sees, terminal, say: tell, model } = await tuiScene([]);
    await sees('Context 100% left');
    terminal.type(`see ${paste('y'.repeat(1_048_576))}`);
    await sees('[Pasted Content 1048576 chars]');
    terminal.type('\u0001');
    tell('');
    await sees('more than 1,048,576 characters');
    await sees('› see [Pasted Content 1048576 chars]');
    // The cursor stands where it was.
    terminal.type('I ');
    await sees('› I see [Pasted Content 1048576 chars]');
    expect(model.requests).toHaveLength(0);
  });
});

describe('a draft that waits', () => {
  it('comes back from the queue with its paste and its picture', async () => {
    const {
      sees,
      terminal,
      place,
      say: tell,
      model,
    } = await tuiScene([hang({ afterBytes: 0, of: answer({ items: [say('never')] }) })]);
    writeFileSync(join(place.workspace, 'a.png'), '');
    await sees('Context 100% left');
    tell('Hang.');
    await model.request(0);
    terminal.type('see ');
    terminal.type(`\u001B[200~${'x'.repeat(1200)}\u001B[201~`);
    await sees('[Pasted Content 1200 chars]');
    terminal.type(`\u001B[200~${join(place.workspace, 'a.png')}\u001B[201~`);
    await sees('[Image #1]');
    terminal.type('\t');
    await sees('↳ see [Pasted Content 1200 chars] [Image #1]');
    terminal.type('\u001B[1;3A');
    await sees('› see [Pasted Content 1200 chars] [Image #1]');
    terminal.type('\u007F\u007F\u007F\u007F');
    const rows = await sees(/› see\n/);
    expect(rows.join('\n')).not.toContain('Pasted');
  });

  it('comes back from an interrupt, steered or queued, with its paste, and is sent whole', async () => {
    const never = hang({ afterBytes: 0, of: answer({ items: [say('never')] }) });
    const { sees, terminal, say: tell, model } = await tuiScene([never, answer({ items: [say('Heard.')] })]);
    const paste = (letter: string): string => `\u001B[200~${letter.repeat(1200)}\u001B[201~`;
    await sees('Context 100% left');
    tell('Hang.');
    await model.request(0);
    terminal.type(`steer ${paste('x')}`);
    await sees('› steer [Pasted Content 1200 chars]');
    terminal.type('\r');
    await sees('↳ steer [Pasted Content 1200 chars]');
    terminal.type(`queue ${paste('y')}`);
    await sees('› queue [Pasted Content 1200 chars]');
    terminal.type('\t');
    await sees('↳ queue [Pasted Content 1200 chars]');
    terminal.type('draft');
    terminal.type('\u001B');
    await sees(/› steer \[Pasted Content 1200 chars\]\n {2}queue \[Pasted Content 1200 chars\] #2\n {2}draft/);
    terminal.type('\r');
    await sees('• Heard.');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe(`steer ${'x'.repeat(1200)}\nqueue ${'y'.repeat(1200)}\ndraft`);
  });
});

it('a message of white space and signs that no one sees is not sent', async () => {
  const { sees, say: tell, terminal, model } = await tuiScene([answer({ items: [say('Yes.')] })]);
  await sees('Context 100% left');
  tell(' \u200B\u3164');
  await sees('The message is blank, so it was not sent.');
  terminal.type('Hi\r');
  await sees('Yes.');
  expect(model.requests).toHaveLength(1);
});
