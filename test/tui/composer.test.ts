import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
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
    await sees('  src/two words.ts');
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
