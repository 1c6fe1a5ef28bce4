import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { pluginMentions } from '../../src/adapters/skills/select-skills.ts';
import { skilledScene, skillText } from './skilled-scene.ts';

const yes = () => answer({ items: [say('Yes.')] });

async function pluggedScene(config: string) {
  const scene = await skilledScene(yes, { config });
  const plugins = join(scene.live.place.home, 'plugins/cache/mkt');
  const install = (path: string, manifest: string, skill = 'knit'): void => {
    scene.put(join(plugins, path, '.codex-plugin/plugin.json'), manifest);
    scene.put(join(plugins, path, 'skills', skill, 'SKILL.md'), skillText(skill, `From ${path}`));
  };
  return { ...scene, plugins, install };
}

it('what a plugin brings is listed under its name, and said when a message names it', async () => {
  const { live, install, open } = await pluggedScene(
    '[plugins."wool@mkt"]\n[plugins."off@mkt"]\nenabled = false\n[plugins."gone@mkt"]\nenabled = true',
  );
  for (const version of ['0.9.0', '0.10.0']) install(`wool/${version}`, '{"name": "wool"}');
  install('off/1.0.0', '{"name": "off"}');
  install('unnamed/1.0.0', '{"name": "unnamed"}');
  await open();
  await live.turn('Ask @wool and @off, not me@wool.org. Use $wool:knit.');
  await open();
  await live.turn('Ask [@Wool](plugin://wool@mkt).');
  const texts = live.rows(0).flat();
  const listed = texts.find((text) => text.startsWith('<skills_instructions>'))?.match(/^- .*$/gm);
  expect(listed).toEqual([
    expect.stringMatching(/^- wool:knit: From wool\/0\.10\.0 \(file: .*\/0\.10\.0\/skills\/knit/),
  ]);
  expect(live.layout(0).flat()).toContain('plugins-guidance');
  expect(live.layout(0).slice(-3).flat()).toEqual([
    'user',
    expect.stringContaining('Ask @wool'),
    'developer',
    'plugin-hint',
    'user',
    'skill-body',
  ]);
  expect(live.layout(1).slice(-2).flat()).toEqual([
    'user',
    expect.stringContaining('plugin://'),
    'developer',
    'plugin-hint',
  ]);
  expect(live.rows(1).at(-1)?.[1]).toContain('- skills whose names begin with "wool:"');
});

it('goes with the plugin, and no folder elsewhere passes for one', async () => {
  const { live, install, open, put, plugins } = await pluggedScene(
    '[plugins."wool@mkt"]\n[plugins."../up@mkt"]\n[plugins."link@mkt"]\n[plugins."torn@mkt"]\n[plugins."far@mkt"]',
  );
  const outside = join(live.place.workspace, 'plugin');
  put(join(outside, '.codex-plugin/plugin.json'), '{"name": "link"}');
  put(join(outside, 'skills/bad/SKILL.md'), skillText('bad', 'Bad'));
  put(join(plugins, 'link/keep'), '');
  symlinkSync(outside, join(plugins, 'link/local'));
  install('torn/1.0.0', '{"name": ');
  install('far/1.0.0', '{"name": "far", "skills": "../../../../../../workspace/plugin/skills"}');
  await open();
  await live.turn('one');
  expect(live.layout(0).flat()).toEqual([
    'developer',
    'permissions',
    'plugins-guidance',
    'user',
    'environment',
    'user',
    'one',
  ]);
  install('wool/1.0.0', '{"name": "wool"}');
  await live.turn('two');
  expect(live.layout(1).slice(1).flat()).toEqual(['developer', 'skills-catalogue', 'user', 'two']);
});

it('finds the names of plugins in a text', () => {
  const plugins = [
    { id: 'a@m', name: 'a' },
    { id: 'b@m', name: 'b-2' },
  ];
  const named = (text: string): readonly string[] => pluginMentions(text, plugins).map(({ name }) => name);
  expect(['@a', 'ask @b-2.', '(@a)', 'x@a', '@a/pkg', '@aa', 'plugin://b@m', '@'].map(named)).toEqual([
    ['a'],
    ['b-2'],
    ['a'],
    [],
    [],
    [],
    ['b-2'],
    [],
  ]);
});
