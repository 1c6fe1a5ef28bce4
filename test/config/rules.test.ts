import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { inputOf, scene } from '../harness/scene.ts';

const script = [answer({ items: [say('Done.')] }), answer({ items: [say('Done.')] })];

async function withRules(text: string) {
  const { place, model } = await scene(script);
  mkdirSync(join(place.home, 'rules'));
  const file = join(place.home, 'rules/mine.rules');
  writeFileSync(file, text);
  return { place, model, file };
}

test('the model reads which commands the rules allow and refuse, and --ignore-rules leaves them out', async () => {
  const { place, model } = await withRules(
    'prefix_rule(["make", ["test", "lint"]])\nprefix_rule(["rm"], "forbidden")\nprefix_rule(["npm", ["i", "ci"]], "prompt")\n',
  );
  await place.run('exec', 'hello');
  await place.run('exec', '--ignore-rules', 'hello');
  const [first, second] = [0, 1].map((request) => JSON.stringify(inputOf(model, request)));
  for (const target of ['test', 'lint']) expect(first).toContain(JSON.stringify(`["make", "${target}"]`).slice(1, -1));
  // Without `--approvals` no one can be asked.
  const refused =
    'Rules refuse commands that begin with one of these, also inside a script:\n- ["rm"]\n- ["npm", ["i", "ci"]]\n';
  expect(first).toContain(JSON.stringify(refused).slice(1, -1));
  expect(second).not.toContain('make');
  expect(second).not.toContain('Rules refuse');
});

test('a broken file is named, and the turn runs without it', async () => {
  const { place, file } = await withRules('prefix_rule(["a"])\nprefix_rule(["b"], "maybe")\n');
  const { code, stderr } = await place.run('exec', 'hello');
  expect(code).toBe(0);
  expect(stderr).toContain(`${file}:2: \`decision\` is "maybe". Capstan ignores the whole file.`);
  const shown = await place.run('config', 'show');
  expect(shown.stderr).toContain(`${file}:2: `);
  expect(shown.code).toBe(0);
});

test('a file in the place of the folder stops the start', async () => {
  const { place, model } = await scene(script);
  writeFileSync(join(place.home, 'rules'), '');
  const { code, stderr } = await place.run('exec', 'hello');
  expect(code).toBe(1);
  expect(stderr).toContain(`The rules in ${join(place.home, 'rules')} cannot be read: it is a file.`);
  expect(model.requests).toEqual([]);
  expect((await place.run('config', 'show')).code).toBe(1);
});

test('execpolicy check names what matches, and ends with 0, 1 or 2', async () => {
  const { place, file } = await withRules('prefix_rule(["git"], "prompt", justification="why")\n');
  const check = (...words: readonly string[]) => place.run('execpolicy', 'check', ...words);
  expect(await check('-r', file, 'git', '--pretty')).toMatchObject({
    code: 0,
    stdout:
      '{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["git"],"decision":"prompt","justification":"why"}}],"decision":"prompt"}\n',
  });
  expect(await check('-r', file, '--pretty', 'ls')).toMatchObject({ code: 0, stdout: '{\n  "matchedRules": []\n}\n' });
  expect(await check('-r', `${file}x`, 'ls')).toMatchObject({ code: 1, stdout: '' });
  expect(await check('ls')).toMatchObject({ code: 2, stdout: '' });
  expect(await check('-r', file)).toMatchObject({ code: 2, stdout: '' });
});
