import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { withoutSandbox } from '../harness/scene.ts';
import { type AgentRequest, agentScene } from './agent-scene.ts';

it('to undo a turn undoes what its agents did for it, and that can be undone', async () => {
  const done = answer({ items: [say('Done.')] });
  const run = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });
  const root = [
    run('echo root > root'),
    // One after the other: of what changes while both run commands no one knows who did it.
    ...['a', 'b'].flatMap((name) => [
      answer({ items: [callTool('spawn_agent', { message: `TASK ${name}: x`, name })] }),
      answer({ items: [callTool('wait_agent', { targets: [name] })] }),
    ]),
    done,
    answer({ items: [callTool('send_input', { target: 'a', message: 'More' })] }),
    answer({ items: [callTool('wait_agent', {})] }),
  ];
  const a = [run('echo a > a; echo two > f'), done, run('echo more > a')];
  const speakers = {
    root: ({ index }: AgentRequest) => root[index] ?? done,
    a: ({ index }: AgentRequest) => a[index] ?? done,
    b: ({ index }: AgentRequest) => (index === 0 ? run('echo b > b') : done),
  };
  const { live, begin } = await agentScene(speakers, { config: withoutSandbox });
  const file = (name: string) => join(live.place.workspace, name);
  const text = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim() : undefined);
  const all = () => ['root', 'a', 'b', 'f'].map(text);
  writeFileSync(file('f'), 'one\n');
  const { thread, engine } = await begin();
  const signal = new AbortController().signal;
  await thread.run({ input: words('go'), signal });
  await thread.run({ input: words('more'), signal });
  await engine.close();
  expect(all()).toEqual(['root', 'more', 'b', 'two']);
  const { id } = thread;
  const undo = async (...options: readonly string[]) => {
    const done = await live.place.run('threads', ...options);
    expect([done.stderr, done.code]).toEqual(['', 0]);
  };
  await undo('rollback', id, '--files');
  expect(all()).toEqual(['root', 'a', 'b', 'two']);
  await undo('restore', id, '--undo');
  expect(all()).toEqual(['root', 'more', 'b', 'two']);
  await undo('rollback', id, '--turns', '2', '--files');
  expect(all()).toEqual([undefined, undefined, undefined, 'one']);
});
