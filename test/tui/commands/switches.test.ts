import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tuiScene } from '../tui-scene.ts';

it('/experimental switches features in config.toml', async () => {
  const { sees, say: tell, terminal, place } = await tuiScene([], '[features]\ngoals = true');
  const config = (): string => readFileSync(join(place.home, 'config.toml'), 'utf8');
  await sees('Context 100% left');
  tell('/experimental');
  await sees(/☑ goals/);
  terminal.type('jjj ');
  await sees(/☐ goals/);
  await sees('what you switch counts when Capstan is started again');
  expect(config()).toContain('goals = false');
  terminal.type('\r');
  await sees(/☑ goals/);
  expect(config()).toContain('goals = true');
});

it('/memories switches memory, shows it, and asks before it forgets', async () => {
  const { sees, say: tell, terminal, place } = await tuiScene([]);
  const config = (): string => readFileSync(join(place.home, 'config.toml'), 'utf8');
  await sees('Context 100% left');
  tell('/memories');
  await sees(/1\. ☐ Memory/);
  terminal.type('1');
  await sees(/1\. ☑ Memory/);
  terminal.type('3');
  await sees(/3\. ☐ Write/);
  expect(config()).toMatch(/memories = true[^]*\[memories\]\ngenerate_memories = false/);
  terminal.type('4');
  await sees('Nothing is remembered.');
  terminal.type('q');
  terminal.type('5');
  await sees('Forget all notes about earlier threads?');
  terminal.type('2');
  await sees('The memory is empty.');
});

it('/mention types an @', async () => {
  const { sees, say: tell } = await tuiScene([]);
  await sees('Context 100% left');
  tell('/mention');
  expect(await sees('› @')).toBeDefined();
});
