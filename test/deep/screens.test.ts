import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawScene } from './screens/drawn-scene.ts';
import { pictures } from './screens/pictures.ts';

const docs = join(import.meta.dirname, '../../docs');

it.each(pictures)('$name: the picture in the docs is what the terminal shows', async (picture) => {
  const svg = await drawScene(picture, pictures.indexOf(picture));
  expect(svg.split('\n').filter((line) => line.includes('/tmp'))).toEqual([]);
  expect(svg.length).toBeLessThan(40_000);
  await expect(svg).toMatchFileSnapshot(join(docs, 'screens', `${picture.name}.svg`));
});

it('the page shows each of them with its sentence', async () => {
  const sections = pictures.map(
    ({ name, title, about }) => `## ${title}\n\n${about}\n\n![${title}](screens/${name}.svg)\n`,
  );
  const page = `# Screens of the terminal

What [the terminal](terminal.md) looks like. The program is real, a scripted model answers, and \`npm run docs:screens\` draws these pictures and this page again.

${sections.join('\n')}`;
  await expect(page).toMatchFileSnapshot(join(docs, 'terminal-screens.md'));
});
