import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, callTool, say, type ScriptStep } from '../../src/testing/index.ts';
import { agentScene } from './agent-scene.ts';

const signal = new AbortController().signal;

/** A thread whose agent has ended its work, as the file of the thread was before a line. */
async function killedBefore(isLine: (line: Line) => boolean) {
  const steps: readonly ScriptStep[] = [
    answer({ items: [callTool('spawn_agent', { message: 'TASK a: count', name: 'a' })] }),
    answer({ items: [callTool('wait_agent', {})] }),
  ];
  const wait = answer({ items: [callTool('wait_agent', {})] });
  const next: ScriptStep[] = [];
  const scene = await agentScene({
    root: ({ index }) => steps[index] ?? next.shift() ?? answer({ items: [say('Done.')] }),
    a: () => answer({ items: [say('One two three.')] }),
  });
  const first = await scene.begin();
  await first.thread.run({ input: words('go'), signal });
  const { id } = first.thread;
  await first.engine.close();
  const path = scene.live.place.rollouts().find((name) => name.includes(id))!;
  const child = scene.live.place.rollouts().find((name) => !name.includes(id))!;
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const end = lines.findIndex((line) => isLine(JSON.parse(line) as Line));
  writeFileSync(
    path,
    lines
      .slice(0, end)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const again = async (tool?: string) => {
    if (tool !== undefined)
      next.push(answer({ items: [callTool(tool, { target: 'a', message: 'TASK a: again' })] }), wait);
    const engine = await scene.engine();
    const opened = await engine.resume(id, {});
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    await opened.thread.run({ input: words('again'), signal });
    const told = scene
      .of('root')
      .at(-1)!
      .filter((text) => text.startsWith('<subagent_notification>'));
    return { engine, thread: opened.thread, told };
  };
  return { ...scene, id, child, again };
}

it('a report that was lost with the process is made from the file of the agent, once', async () => {
  const { again, of } = await killedBefore(({ type }) => type === 'capstan_waiting');
  const { told, thread, engine } = await again();
  expect(told).toEqual([expect.stringContaining('{"agent_path":"/root/a","status":{"completed":"One two three."}}')]);
  expect(thread.state.agents).toMatchObject([{ state: 'idle', last: 'completed', used: { total: 110 } }]);
  expect(of('a')).toHaveLength(1);
  await engine.close();
  const later = await again();
  expect(later.told).toHaveLength(1);
});

it('an agent whose first line was never written is reported as not started, and begins with its next work', async () => {
  const { again, child, of } = await killedBefore(({ type }) => type === 'capstan_waiting');
  rmSync(child);
  const { told, engine } = await again('send_input');
  expect(of('a').at(-1)!.at(-1)).toBe('TASK a: again');
  expect(await engine.stored.location(child.slice(-42, -6) as ThreadId)).toContain('rollout-');
  expect(told).toEqual([
    expect.stringMatching(/"errored":"It was not started: the program ended/),
    expect.stringContaining('{"completed":"One two three."}'),
  ]);
});

it('an agent that was cut off is reported as interrupted', async () => {
  const { again, child } = await killedBefore(({ type }) => type === 'capstan_waiting');
  const lines = readFileSync(child, 'utf8').trimEnd().split('\n');
  writeFileSync(
    child,
    lines
      .slice(0, -2)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const { told, thread } = await again();
  expect(told).toEqual([expect.stringContaining('"status":"interrupted"')]);
  expect(thread.state.agents).toMatchObject([{ state: 'idle', last: 'interrupted' }]);
});

it('a thread that names another thread as its agent cannot give it work', async () => {
  const { again, child, engine, live } = await killedBefore(({ type }) => type === 'capstan_waiting');
  const [head, ...rest] = readFileSync(child, 'utf8').split('\n');
  const other = '00000000-0000-7000-8000-000000000001';
  const parent = /"parent_thread_id":"([^"]+)"/.exec(head!)![1]!;
  writeFileSync(child, [head!.replaceAll(parent, other), ...rest].join('\n'));
  const { told } = await again();
  expect(told).toEqual([expect.stringContaining('"errored"')]);
  expect(await (await engine()).stored.summary(child.slice(-42, -6) as ThreadId)).toMatchObject({ source: 'subagent' });
  expect(live.place.rollouts()).toHaveLength(2);
});
