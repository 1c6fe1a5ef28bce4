import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { hook, hookedScene, prints } from '../hooks/hooked-scene.ts';
import { ownSeconds, processesWith } from '../harness/process-table.ts';

const done = answer({ items: [say('Done.')] });
const runs = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });
const waiting = { timeout: 20_000, interval: 10 };
const sleep = (seconds: number): string => `sleep ${ownSeconds(seconds)}`;
const sleepers = (seconds: number): readonly number[] => processesWith(`sleep\0${ownSeconds(seconds)}`);

test('a hook that hangs, ignores signals and forks is gone after its time-out, with all that it started', async () => {
  const command = `trap '' TERM INT HUP; (setsid ${sleep(74001)} & ${sleep(74001)}) & while :; do ${sleep(74001)}; done`;
  const { live } = await hookedScene([runs('echo one'), done], { PreToolUse: [hook(command, { timeout: 1 })] });
  await live.turn('go');
  expect(live.rows(1).at(-1)?.[1]).toContain('one');
  expect(live.told('warning')).toMatchObject([{ outcome: { code: 'hook-failed' } }]);
  await vi.waitUntil(() => sleepers(74001).length === 0, waiting);
});

test('a hook that leaves a process behind does not hold up the turn', async () => {
  const { live } = await hookedScene([done], { UserPromptSubmit: [hook(`${sleep(74002)} & echo "Said."`)] });
  await live.turn('go');
  // A hook that is waited for is ended at its time-out, with a warning.
  expect(live.told('warning')).toEqual([]);
  expect(live.rows(0).at(-1)?.[1]).toContain('Said.');
  await live.close();
  for (const pid of sleepers(74002)) process.kill(pid, 'SIGKILL');
});

test('an interrupt ends hooks and what they started, and the call that they were asked about does not run', async () => {
  const { live } = await hookedScene([runs('touch made'), done], {
    PreToolUse: [hook(`touch begun; ${sleep(74003)}`)],
  });
  const interrupt = new AbortController();
  const ended = live.turn('go', { signal: interrupt.signal });
  await vi.waitUntil(() => existsSync(join(live.place.workspace, 'begun')), waiting);
  interrupt.abort();
  expect(await ended).toMatchObject({ kind: 'aborted' });
  await vi.waitUntil(() => sleepers(74003).length === 0, waiting);
  expect(existsSync(join(live.place.workspace, 'made'))).toBe(false);
  expect(live.told('warning')).toEqual([]);
});

test('a hook that nothing waits for ends with its thread', async () => {
  const { live } = await hookedScene([done], { UserPromptSubmit: [hook(sleep(74004), { async: true })] });
  await live.turn('go');
  await vi.waitUntil(() => sleepers(74004).length > 0, waiting);
  await live.close();
  await vi.waitFor(() => expect(sleepers(74004)).toEqual([]), waiting);
});

test('of hooks that nothing waits for, eight run at once; those beyond are reported', async () => {
  const hooks = Array.from({ length: 10 }, () => hook('sleep 2', { async: true }));
  const { live } = await hookedScene([runs('sleep 1'), done], { UserPromptSubmit: hooks });
  await live.turn('go');
  await live.close();
  const failed = live.told('hook-completed').filter(({ run }) => run.status === 'failed');
  expect(failed.map(({ run }) => run.entries[0]?.text)).toEqual(
    Array(2).fill('8 hooks run in the background already.'),
  );
});

test.each([
  ['text without end', 'yes | head -c 300000000'],
  ['an error without end', 'yes | head -c 300000000 >&2; exit 2'],
  ['JSON without end', `printf '{"systemMessage": "'; yes | head -c 300000000; printf '"}'`],
])('a hook that prints %s costs neither memory nor a large request', async (_name, command) => {
  const { live } = await hookedScene(() => done, { UserPromptSubmit: [hook(command)] });
  const before = process.memoryUsage.rss();
  await live.turn('go');
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
  expect(JSON.stringify(live.model.requests.map(({ body }) => body)).length).toBeLessThan(100_000);
  const [path] = live.place.rollouts();
  expect(readFileSync(path!).length).toBeLessThan(200_000);
});

test('a reason without end is cut for the model, and kept in a file', async () => {
  const { live } = await hookedScene([runs('echo one'), done], {
    PreToolUse: [hook('yes reason | head -n 50000 >&2; exit 2')],
  });
  await live.turn('go');
  const output = live.rows(1).at(-1)?.[1] ?? '';
  expect(output.length).toBeLessThan(2700 * 4);
  const path = /Full hook output saved to: (\S+?)\.? Command/.exec(output)?.[1] ?? '';
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(50_000);
});

test('a hook that never lets a turn end is overruled', async () => {
  const { live } = await hookedScene(() => done, { Stop: [hook(prints({ decision: 'block', reason: 'Again.' }))] });
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  expect(live.model.requests).toHaveLength(101);
  expect(live.told('warning')).toMatchObject([{ outcome: { code: 'hook-endless' } }]);
});

test('more hooks than one moment can show share what the model reads of them', async () => {
  const hooks = Array.from({ length: 20 }, (_, at) => hook(`yes "hook ${at}" | head -n 5000`));
  const { live } = await hookedScene([done], { UserPromptSubmit: hooks });
  await live.turn('go');
  const texts = live.rows(0).filter(([, text]) => text?.startsWith('<hook_context>'));
  expect(texts).toHaveLength(20);
  // In tokens, by estimate.
  expect(texts.flat().join('').length / 4).toBeLessThan(2 * 2500 + 20 * 150);
});
