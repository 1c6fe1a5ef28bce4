import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

const done = (text: string) => answer({ items: [say(text)], deltas: true });
const paste = (text: string) => `\u001B[200~${text}\u001B[201~`;
const up = '\u001B[A';

it('words that another surface said come back without what hides in them', async () => {
  const built = await scene(['One.', 'Two.', 'Three.'].map(done));
  await built.place.run('exec', '--skip-git-repo-check', 'Be\u001B[31m red\u202E.');
  const { sees, say: tell, terminal } = await openIn(built, { kind: 'last' });
  await sees('Context');
  terminal.type(up);
  await sees(/› Be red\.\n[^]*Context/);
  terminal.type('\r');
  await sees(/Two\.\n\n {2}Worked/);
  tell('/rewind');
  await sees('Go back to before which');
  terminal.type(up);
  terminal.type('\r');
  await sees('The conversation is as it was');
  terminal.type('\r');
  await sees('• Three.');
  expect([1, 2].map((at) => textsOf(inputOf(built.model, at)).at(-1))).toEqual(['Be red.', 'Be red.']);
});

describe('words that begin like a command', () => {
  it('were a message, and are one when they come back by a rewind or out of the history', async () => {
    const built = await scene(['One.', 'Two.', 'Three.', 'Four.'].map(done));
    const mark = join(built.place.workspace, 'ran');
    const words = `!touch ${mark} #${'x'.repeat(1100)} tail`;
    const first = await openIn(built, { kind: 'new' });
    await first.sees('Context');
    first.terminal.type(paste(words));
    await first.sees('Pasted Content');
    first.terminal.type('\r');
    await first.sees('Worked for');
    first.say('/rewind');
    await first.sees('Go back to before which');
    first.terminal.type('\r');
    await first.sees('The conversation is as it was');
    first.terminal.type('\r');
    await first.sees('• Two.');
    await first.leave();

    const second = await openIn(built, { kind: 'new' });
    await second.sees('Context');
    second.terminal.type(up);
    await second.sees('xx tail');
    second.terminal.type('\r');
    await second.sees('• Three.');
    await second.leave();
    expect([0, 1, 2].map((at) => textsOf(inputOf(built.model, at)).at(-1))).toEqual([words, words, words]);
    expect(existsSync(mark)).toBe(false);
  });

  it('came out of a prompt file, and are a message after a rewind', async () => {
    const built = await scene(['One.', 'Two.'].map(done));
    const mark = join(built.place.workspace, 'ran');
    mkdirSync(join(built.place.home, 'prompts'));
    writeFileSync(join(built.place.home, 'prompts', 'x.md'), `!touch ${mark}`);
    const { sees, say: tell, terminal } = await openIn(built, { kind: 'new' });
    await sees('Context');
    tell('/prompts:x');
    await sees('Worked for');
    tell('/rewind');
    await sees('Go back to before which');
    terminal.type('\r');
    await sees('The conversation is as it was');
    terminal.type('\r');
    await sees('• Two.');
    expect(textsOf(inputOf(built.model, 1)).at(-1)).toBe(`!touch ${mark}`);
    expect(existsSync(mark)).toBe(false);
  });

  it('are a message as a paste that stands for itself, and behind a blank', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene(['One.', 'Two.', 'Three.'].map(done));
    await sees('Context');
    const pasted = `/quit ${'my words '.repeat(130)}`.trim();
    terminal.type(paste(pasted));
    await sees('Pasted Content');
    terminal.type('\r');
    await sees('• One.');
    tell(' /tmp is full, why?');
    await sees('• Two.');
    tell(' !ls');
    await sees('• Three.');
    expect([0, 1, 2].map((at) => textsOf(inputOf(model, at)).at(-1))).toEqual([pasted, '/tmp is full, why?', '!ls']);
  });
});
