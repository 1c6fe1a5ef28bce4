import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCustomPrompts } from '../../../src/engine/home/custom-prompts.ts';
import { answer, say } from '../../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../../harness/scene.ts';
import { openIn, tuiScene } from '../tui-scene.ts';

describe('prompts of the user', () => {
  it('stand in the list of commands, and are sent with what was added', async () => {
    const built = await scene([answer({ items: [say('Explained.')] }), answer({ items: [say('Fixed.')] })]);
    const folder = join(built.place.home, 'prompts');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'Explain.md'),
      '---\ndescription: Explain a file\nargument-hint: FILE\n---\n\nExplain $1.\n',
    );
    writeFileSync(join(folder, 'fix.md'), 'Fix $FILE.');
    writeFileSync(join(folder, 'notes.txt'), 'no prompt');
    const { sees, say: tell, terminal, model } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    terminal.type('/prompts');
    await sees(/\/prompts:Explain FILE +Explain a file/);
    await sees(/\/prompts:fix FILE= +Fix \$FILE\./);
    terminal.type(':E\t');
    await sees('› /prompts:Explain');
    terminal.type('"a b.ts"\r');
    await sees('• Explained.');
    expect(textsOf(inputOf(model, 0)).at(-1)).toBe('Explain a b.ts.');
    tell('/prompts:fix');
    await sees('It still needs FILE.');
    await sees('› /prompts:fix FILE=""');
    terminal.type('\u0003');
    tell('/prompts:fix FILE=c.ts');
    await sees('• Fixed.');
    tell('/prompts:nothing');
    await sees('There is no prompt nothing.');
    tell('/prompts');
    await sees('Your prompts');
    terminal.type('expl\r');
    await sees('› /prompts:Explain');
  });

  it('names one that is left out, and says why', async () => {
    const built = await scene([]);
    const folder = join(built.place.home, 'prompts');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'fix.md'),
      '---\ndescription: Fix: everything\nargument-hint: [file] [how]\n---\nFix $1.',
    );
    writeFileSync(join(folder, 'torn.md'), '---\ndescription: *all\n---\nTear.');
    const { sees, say: tell, terminal } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    terminal.type('/prompts');
    await sees(/\/prompts:fix \[file\] \[how\] +Fix: everything/);
    terminal.type('\u0003');
    tell('/prompts:torn');
    const shown = (await sees('There is no prompt torn.')).join('').replaceAll(/\s/g, '');
    expect(shown).toContain(
      'torn.mdisleftout:itstablehasthealias`*all`;writethevalueitself,orquoteit.Correctit,orremoveit.',
    );
  });

  it('takes a hint in brackets as it is written, and leaves out wrong and open tables', async () => {
    const { home } = (await scene([])).place;
    const folder = join(home, 'prompts');
    mkdirSync(folder);
    const put = (name: string, text: string): void => writeFileSync(join(folder, `${name}.md`), text);
    put('hint', '---\nargument-hint: [FILE]\n---\nRead $1.');
    put('list', '---\ndescription: [a, b]\n---\nList.');
    put('open', '---\ndescription: No end\n\nSend this.');
    put('table', '---\nargument-hint: {a: 1}\n---\nTable.');
    const { prompts, problems } = await readCustomPrompts(folder);
    expect(prompts).toEqual([{ name: 'hint', takes: '[FILE]', text: 'Read $1.' }]);
    const left = (name: string, reason: string): string => `The prompt ${join(folder, name)} is left out: ${reason}.`;
    const noText = (key: string): string => `its \`${key}\` is a list or a table; write a text, in quotes if need be`;
    expect(problems.map(({ message }) => message)).toEqual([
      left('list.md', noText('description')),
      left('open.md', 'no line of `---` ends its table'),
      left('table.md', noText('argument-hint')),
    ]);
  });

  it('says where to put one', async () => {
    const { sees, say: tell, place } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/prompts');
    expect((await sees('You have no prompts.')).join('').replaceAll(/\s/g, '')).toContain(`${place.home}/prompts/`);
  });
});
