import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { words, writtenBy } from '../../src/index.ts';
import type { UserInput } from '../../src/protocol/user-input.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { agentScene } from '../agents/agent-scene.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { hook, hookedScene, trustAll } from '../hooks/hooked-scene.ts';
import { eventually, memoryScene } from '../memory/memory-scene.ts';
import { skillText } from './skilled-scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const done = answer({ items: [say('Done.')] });
const { signal } = new AbortController();

function knit(home: string): void {
  const path = join(home, 'skills/knit/SKILL.md');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, skillText('knit', 'How to knit', 'With needles.'));
}

const bodies = (texts: readonly unknown[]): readonly unknown[] =>
  texts.filter((text) => String(text).startsWith('<skill>'));

it.each<readonly [string, UserInput, number]>([
  ['the user', words('Use $knit.'), 1],
  ['an agent', writtenBy('agent', 'Use $knit.'), 0],
  ['a program', writtenBy('program', 'Use $knit.'), 0],
])('words of %s name skills and go through hooks only if a user wrote them', async (_, input, times) => {
  const made = await hookedScene(() => done, {}, {});
  const { live, write, keeps } = made;
  write({ UserPromptSubmit: [hook(keeps('prompts'))] });
  knit(live.place.home);
  await live.open();
  writeFileSync(join(live.place.home, 'prompts'), '');
  await live.turn('', { input });
  expect(bodies(textsOf(inputOf(live.model, 0)))).toHaveLength(times);
  expect(made.seen('prompts').map(({ prompt }) => prompt)).toEqual(times === 0 ? [] : ['Use $knit.']);
});

it('a message without an author is refused', async () => {
  const { live } = await hookedScene(() => done, {});
  await live.open();
  const input = { text: 'Use $knit.', images: [] } as unknown as UserInput;
  expect(await live.thread.run({ input, signal })).toMatchObject({ kind: 'failed', outcome: { code: 'odd-input' } });
  expect(live.model.requests).toEqual([]);
});

it('what a model writes to an agent names no skill, and no hook for prompts sees it', async () => {
  const spawn = answer({ items: [callTool('spawn_agent', { message: 'TASK a: use $knit', name: 'a' })] });
  const wait = answer({ items: [callTool('wait_agent', {})] });
  const { live, begin, of } = await agentScene({ root: ({ index }) => [spawn, wait][index] ?? done, a: () => done });
  const { home } = live.place;
  knit(home);
  const seen = join(home, 'prompts');
  const hooks = { UserPromptSubmit: [hook(`echo seen >>'${seen}'`)] };
  writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks }));
  trustAll(home);
  const { thread } = await begin();
  await thread.run({ input: words('go'), signal });
  expect(of('a')).toHaveLength(1);
  expect(bodies(of('a')[0]!)).toEqual([]);
  expect(readFileSync(seen, 'utf8')).toBe('seen\n');
});

it.skipIf(noNamespaces)('a diff names no skill for its reviewer', async () => {
  const { model, place } = await scene([done]);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: place.workspace });
  git('init', '--quiet');
  writeFileSync(join(place.workspace, 'a.sh'), 'echo $knit\n');
  knit(place.home);
  await place.run('review');
  expect(textsOf(inputOf(model, 0)).join('\n')).toContain('+echo $knit');
  expect(bodies(textsOf(inputOf(model, 0)))).toEqual([]);
});

it('a thread names no skill for the writer of its notes', async () => {
  const { live, past, asked } = await memoryScene();
  knit(live.place.home);
  await past('Use $knit.');
  await live.turn('hello');
  await eventually(() => asked('extract').length > 0);
  expect(textsOf(asked('extract')[0]!.body['input'] as never)).toEqual([expect.stringContaining('Use $knit.')]);
});
