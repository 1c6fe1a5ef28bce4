import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { isBuilt } from '../../scripts/build-stamp.mjs';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

const root = join(import.meta.dirname, '../..');
const texts = ['README.md', 'docs/library.md'].map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
const examples = new Map(
  [...texts.matchAll(/^## ([^\n]+)\n(?:(?!^## ).)*?^```ts run\n(.*?)^```$/gms)].map(([, title = '', code = '']) => [
    title,
    code,
  ]),
);

/** The files that the names of the package stand for. */
const entries = isBuilt(root)
  ? { capstan: 'dist/index.js', 'capstan/testing': 'dist/testing.js' }
  : { capstan: 'src/index.ts', 'capstan/testing': 'src/testing/index.ts' };

/** Runs the example of that section as a program of its own, in the workspace. */
async function run(title: string, place: Place, told = ''): Promise<string> {
  const path = join(place.root, 'example.ts');
  const code = Object.entries(entries).reduce(
    (text, [name, file]) => text.replace(`'${name}'`, JSON.stringify(join(root, file))),
    examples.get(title) ?? '',
  );
  writeFileSync(path, code);
  const env = { ...process.env, CAPSTAN_HOME: place.home };
  const child = spawn(process.execPath, [path], { cwd: place.workspace, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([errors, child.exitCode]).toEqual([expect.stringMatching(`^${told}$`), 0]);
  return output;
}

it('has an example in each of these sections, and no other', () => {
  expect([...examples.keys()]).toEqual([
    'Use it from a program',
    'A complete program',
    'Resume, steer, change, compact',
    'Ask the user',
    'Follow a thread',
    'Serve several clients',
    'A tool of your own',
    'Test your program',
  ]);
  expect(texts.match(/```ts/g)).toHaveLength(examples.size);
});

it('one turn, then the same thread resumed, steered and compacted', async () => {
  const { model, place } = await scene(() => answer({ items: [say('It winds ropes.')] }));
  expect(await run('Use it from a program', place)).toBe('It winds ropes.\n');
  expect(await run('Resume, steer, change, compact', place)).toMatch(/^(installed|failed)\n$/);
  expect(model.requests[1]!.body['model']).toBe('gpt-5.4');
  expect(textsOf(inputOf(model, 1))).toEqual(expect.arrayContaining(['CI is red.', 'Why does the build fail?']));
  expect(place.rollouts()).toHaveLength(1);
});

it('a complete program, which prints messages and commands', async () => {
  const { place } = await scene([
    answer({ items: [callTool('exec_command', { cmd: 'ls' })] }),
    answer({ items: [say('It winds ropes.')] }),
  ]);
  const told = '\\$ ls\\nthread [0-9a-f-]+: completed\\n';
  expect(await run('A complete program', place, told)).toBe('It winds ropes.\n');
});

it('a test with a scripted model', async () => {
  const { model, place } = await scene([]);
  expect(await run('Test your program', place)).toBe('It printed hello. 2\n');
  expect([model.requests, place.rollouts()]).toEqual([[], []]);
});

it('a subscriber', async () => {
  const { place } = await scene([answer({ items: [say('Hello.')] })]);
  expect(await run('Follow a thread', place)).toBe('agent-message\n');
  expect(place.rollouts()).toEqual([]);
});

it('several clients of one thread: one watches, one answers, one was away', async () => {
  const call = callTool('exec_command', { cmd: 'echo hello', sandbox_permissions: 'require_escalated' });
  const { place } = await scene([answer({ items: [call] }), answer({ items: [say('Done.')], deltas: true })]);
  const lines = (await run('Serve several clients', place)).split('\n');
  expect(lines[0]).toBe('Done.');
  expect(lines[1]).toMatch(/^completed, \d+ % of the window left$/);
  const kinds = lines.slice(2, -1).map((line) => line.replace(/^\d+ /, ''));
  // The question and the end of the answer may come in either order.
  expect(kinds.filter((kind) => kind !== 'context' && kind !== 'usage')).toEqual([
    'turn-started',
    'question-asked',
    'question-answered',
    'item-completed',
    'item-completed',
    'turn-completed',
  ]);
});

it('a tool of one’s own, in 30 lines', async () => {
  const { model, place } = await scene([
    answer({ items: [callTool('weather', { city: 'Oslo' })] }),
    answer({ items: [say('It rains.')] }),
  ]);
  expect(await run('A tool of your own', place)).toBe('It rains.\n');
  expect(textsOf(inputOf(model, 1)).at(-1)).toBe('Oslo: 12 degrees, light rain');
  expect(examples.get('A tool of your own')!.trim().split('\n').length).toBeLessThanOrEqual(30);
});

it('asks the user before a call leaves the sandbox', async () => {
  const call = callTool('exec_command', { cmd: 'echo hello', sandbox_permissions: 'require_escalated' });
  const { model, place } = await scene([answer({ items: [call] }), answer({ items: [say('Done.')] })]);
  expect(await run('Ask the user', place)).toBe('May it run echo hello?\ncompleted\n');
  expect(String(textsOf(inputOf(model, 1)).at(-1))).toContain('hello');
});
