import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { tuiScene } from './tui-scene.ts';

it('what a command takes is listed and completed: names, paths, turns and threads', async () => {
  const { terminal, sees, place, say: tell } = await tuiScene([answer({ items: [say('Done.')], deltas: true })]);
  mkdirSync(join(place.workspace, 'my sources', 'inner'), { recursive: true });
  writeFileSync(join(place.workspace, 'notes.md'), '');
  await sees('Context');
  tell('First of all.');
  await sees('Worked for');

  terminal.type('/the\t');
  await sees(/› \/theme\s+auto +/);
  terminal.type('hi');
  await sees(/high-contrast[^]*Tab completes, Enter runs the command with it/);
  terminal.type('\r');
  await sees('Theme: high-contrast.');

  // A list without a choice of its own does not change what Enter does.
  terminal.type('/permissions ');
  await sees(/Read only +ask before every change/);
  terminal.type('\r');
  await sees('1. Ask');
  terminal.type('\u0003');
  await sees('Ask Capstan');
  terminal.type('/permissions read');
  await sees('Enter runs the command with it');
  terminal.type('\r');
  await sees('Permissions: Read only.');

  // A key that comes before the list waits for it.
  terminal.type('/cd m\t');
  await sees('› /cd my sources/');
  await sees('  my sources/inner/');
  terminal.type('\t');
  await sees('› /cd my sources/inner/');
  terminal.type('\r');
  await sees(/The next turn works in \S*my sources\/inner\./);

  terminal.type('/model gpt-5.5 ');
  expect((await sees(/ +medium +usual for this model/)).join('\n')).not.toContain('xhigh');
  terminal.type('\u0003');
  terminal.type('/envelope ');
  await sees(/ 1 +First of all\./);
  terminal.type('\u001B');
  await sees(/› \/envelope\s*\n\s*\n +gpt/);
  terminal.type('\u0003');
  const rows = await sees('Ask Capstan');
  expect(rows.join('\n')).not.toContain('cannot be listed');
});

it('a message that begins with a path or with // stays a message while it is typed', async () => {
  const { terminal, sees, model } = await tuiScene(() => answer({ items: [say('Read.')] }));
  await sees('Context');
  for (const words of ['/re/main.ts is broken', '// TODO hi']) {
    const { length } = model.requests;
    for (const sign of words) terminal.type(sign);
    await sees(`› ${words}`);
    terminal.type('\r');
    await expect.poll(() => model.requests.length).toBe(length + 1);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(words);
  }
});
