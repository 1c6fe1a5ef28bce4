import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../../src/testing/index.ts';
import { inputOf, textsOf } from '../../harness/scene.ts';
import { tuiScene } from '../tui-scene.ts';

it('/init has the model write AGENTS.md, and asks first where there is one', async () => {
  const {
    sees,
    say: tell,
    terminal,
    place,
    model,
  } = await tuiScene([answer({ items: [say('Written.')] }), answer({ items: [say('Corrected.')] })]);
  await sees('Context 100% left');
  tell('/init');
  await sees('• Written.');
  expect(textsOf(inputOf(model, 0)).at(-1)).toMatch(/^Write AGENTS\.md in the current folder/);
  writeFileSync(join(place.workspace, 'AGENTS.md'), '# Rules\n');
  tell('/init');
  await sees('There is an AGENTS.md in this folder. Change it?');
  terminal.type('\r');
  await sees('Ask Capstan to do anything');
  expect(model.requests).toHaveLength(1);
  tell('/init');
  await sees('2. Yes');
  terminal.type('2');
  await sees('• Corrected.');
  expect(textsOf(inputOf(model, 1)).at(-1)).toContain('Keep what still holds');
});
