import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Thread, ThreadEvent } from '@openai/codex-sdk';
import { expect, it, vi } from 'vitest';
import { answer, callTool, hang, say } from '../../../src/testing/index.ts';
import { inputOf, textsOf } from '../items.ts';
import { kindsOf } from './kinds-of.ts';
import { programs, stage, type Stage } from './stage.ts';

const ok = answer({ items: [say('ok')] });
const command = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });
const patience = { timeout: 30_000 };
const abortError = expect.objectContaining({ name: 'AbortError' });

/** All events until the thread throws, and what it throws. */
async function untilThrown(thread: Thread, controller: AbortController, onEvent: (event: ThreadEvent) => void) {
  const { events } = await thread.runStreamed('Go.', { signal: controller.signal });
  const seen: ThreadEvent[] = [];
  try {
    for await (const event of events) {
      seen.push(event);
      onEvent(event);
    }
  } catch (error) {
    return { seen, error };
  }
  throw new Error('the turn came to its end');
}

/** Resolves when no process of the stage is left: each has written its number down. */
async function allGone({ place }: Stage): Promise<void> {
  const numbers = readFileSync(join(place.root, 'pids'), 'utf8').trim().split('\n').map(Number);
  await vi.waitFor(() => expect(numbers.filter(isAlive)).toEqual([]), patience);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each(programs)('%s: a signal that is aborted already: nothing is started', async (program) => {
  const { model, place, start } = await stage(program, []);
  const thread = start();
  const signal = AbortSignal.abort();
  await expect(thread.run('Go.', { signal })).rejects.toEqual(abortError);
  const { events } = await thread.runStreamed('Go.', { signal });
  await expect(events.next()).rejects.toEqual(abortError);
  expect([thread.id, model.requests, place.rollouts()]).toEqual([null, [], []]);
});

it.each(programs)('%s: while the model answers: run rejects, and the thread can go on', async (program) => {
  const { model, start } = await stage(program, [hang({ afterBytes: 10, of: ok }), ok]);
  const thread = start();
  const controller = new AbortController();
  const turn = thread.run('One.', { signal: controller.signal });
  const request = await model.request(0);
  controller.abort();
  await expect(turn).rejects.toEqual(abortError);
  expect(await request.ended).toBe('client-left');
  expect((await thread.run('Two.')).finalResponse).toBe('ok');
  expect(textsOf(inputOf(model, 1))).toEqual(expect.arrayContaining(['One.', 'Two.']));
});

it.each(programs)('%s: while a command runs: the command ends too', async (program) => {
  const sleep = `sleep 300.${process.pid}`;
  const running = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').includes(sleep);
  const { start } = await stage(program, [command(sleep)]);
  const controller = new AbortController();
  const { seen, error } = await untilThrown(start(), controller, ({ type }) => {
    if (type === 'item.started') void vi.waitUntil(running, patience).then(() => controller.abort());
  });
  expect(error).toEqual(abortError);
  // Capstan ends what began. Neither calls it a failure of the turn.
  const begin = ['thread.started', 'turn.started', 'item.started command_execution'];
  const end = { capstan: ['item.completed command_execution', 'error'], codex: [] }[program];
  expect(kindsOf(seen)).toEqual([...begin, ...end]);
  await vi.waitFor(() => expect(running()).toBe(false), patience);
});

it('an abort stands in the thread, and the model is told', async () => {
  const { model, place, start } = await stage('capstan', [command('sleep 300'), ok]);
  const controller = new AbortController();
  const thread = start();
  await untilThrown(thread, controller, ({ type }) => {
    if (type === 'item.started') controller.abort();
  });
  expect(place.lines().at(-1)?.payload).toMatchObject({ type: 'turn_aborted', reason: 'interrupted' });
  await thread.run('What happened?');
  expect(textsOf(inputOf(model, 1)).at(-2)).toMatch(/^<turn_aborted>/);
});

it('an abort while the program starts leaves no process behind, and no turn without an end', async () => {
  const set = await stage('capstan', [hang({ afterBytes: 0, of: ok })]);
  const controller = new AbortController();
  const thrown = set
    .start()
    .run('Go.', { signal: controller.signal })
    .catch((error: unknown) => error);
  await vi.waitFor(() => expect(readFileSync(join(set.place.root, 'pids'), 'utf8')).toMatch('\n'), patience);
  controller.abort();
  expect(await thrown).toEqual(abortError);
  await allGone(set);
  expect([undefined, 'turn_aborted']).toContain(set.place.lines().at(-1)?.payload['type']);
});

it('a caller that leaves the events early ends the turn and the process, however much is unread', async () => {
  const set = await stage('capstan', [command('yes 0123456789 | head -c 900000; touch printed; sleep 300')]);
  const { events } = await set.start().runStreamed('Go.');
  for await (const { type } of events) {
    if (type !== 'item.started') continue;
    await vi.waitUntil(() => existsSync(join(set.place.workspace, 'printed')), patience);
    break;
  }
  await allGone(set);
  expect(set.place.lines().at(-1)?.payload).toMatchObject({ type: 'turn_aborted', reason: 'interrupted' });
});
