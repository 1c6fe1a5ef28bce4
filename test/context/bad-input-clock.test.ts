import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { systemIds } from '../../src/adapters/gather/clock-and-ids.ts';
import type { Clock } from '../../src/ports/system.ts';
import type { Json } from '../../src/protocol/json.ts';
import { words } from '../../src/protocol/user-input.ts';
import { answer, callTool, say, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { applyPatchTool } from '../../src/adapters/tools/apply-patch/apply-patch-tool.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { createToolRouter } from '../../src/adapters/tools/router.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';

/** Each look at it is a day before the last. */
function fallingClock(): Clock {
  let now = Date.UTC(2026, 10, 15);
  return { now: () => (now -= 86_400_000), sleep: () => new Promise((resolve) => setImmediate(resolve)) };
}

/** Every number under a key that ends so, wherever it stands. */
function numbersAt(value: Json | undefined, key: RegExp): readonly number[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(key.test(name) && typeof member === 'number' ? [member] : []),
    ...numbersAt(member as Json, key),
  ]);
}

it('a clock that goes back makes no turn, step or call last less than nothing', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-clock-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const patch = '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch\n';
  const model = await startScriptedModel([
    answer({ items: [{ type: 'custom_tool_call', name: 'apply_patch', input: patch }] }),
    answer({ items: [callTool('no_such_tool', {}), say('Done.')] }),
    answer({ items: [say('Done.')] }),
  ]);
  onTestFinished(() => model.close());
  const disk = new SimulatedDisk();
  const clock = fallingClock();
  const live = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  live.world = { ...live.world, cwd: folder };
  live.adapt = (parts) => ({
    ...parts,
    clock,
    router: createToolRouter([() => [applyPatchTool({ disk: nodeDisk(), clock }, { freeformTools: 'grammar' })]]),
  });
  const thread = await live.open();
  const { signal } = new AbortController();
  expect(await thread.run({ input: words('go'), signal })).toEqual({ kind: 'completed', lastMessage: 'Done.' });
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a\n');
  const lines = await live.lines();
  const durations = numbersAt(lines as unknown as Json, /(?:duration|answer|total|first_event)_ms$/);
  expect(durations.length).toBeGreaterThan(6);
  expect(durations.filter((each) => each < 0)).toEqual([]);
  const end = lines.find(({ payload }) => payload['type'] === 'task_complete')!.payload;
  expect(end['completed_at']).toBe(end['started_at']);
  expect(textsOf(inputOf(model, 1)).at(-1)).toMatch(/^(?:.*\n)*Wall time: 0(?:\.0)? seconds/);
});

it('a command lasts no less than nothing', async () => {
  const spawn = createNodeSpawn({ clock: fallingClock(), runFolder: tmpdir() });
  const command = {
    kind: 'runnable',
    argv: ['/bin/true'],
    cwd: tmpdir(),
    env: {},
    files: [],
    cleanup: () => Promise.resolve(),
  } as const;
  const ended = await spawn.run(
    command,
    { outputBytes: 100, timeoutMs: 10_000 },
    { signal: new AbortController().signal },
  );
  expect(ended).toMatchObject({ kind: 'exited', durationMs: 0 });
});

it('ids stay in the order of their making', () => {
  const ids = systemIds(fallingClock());
  const made = Array.from({ length: 5000 }, () => ids.uuid());
  expect(made).toEqual(made.toSorted());
});
