import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { tuiScene } from './tui-scene.ts';

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
