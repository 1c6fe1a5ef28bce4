import { expect, it } from 'vitest';
import { httpError, type Script } from '../../src/testing/index.ts';
import { compacts, hangs, says, saysLong, smallLimit, talk, task } from '../compaction/talk.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';

async function begun(script: Script) {
  const { model, place } = await scene(script, smallLimit);
  const first = await place.run('exec', '--json', task);
  return { model, place, first, id: threadId(first) };
}

const made = /Checkpoint 1: about [\d,]+ → [\d,]+ tokens by gpt-5\.5 \(structured\), 1 of 1 user message kept\n/;
const types = (events: readonly object[]): readonly unknown[] =>
  events.map((event) => {
    const { type, state, item } = event as { type: string; state?: string; item?: { type: string } };
    return [type, item?.type ?? state].filter((word) => word !== undefined).join(' ');
  });

it('the caller does not wait for a checkpoint after the answer; the next run makes it first, and says so beside the answer', async () => {
  const { model, place, first, id } = await begun(talk([saysLong(), says('Yes.')]));
  expect([first.code, model.requests.length]).toEqual([0, 1]);
  const next = await place.run('exec', 'resume', id, 'Go on.');
  expect([next.code, next.stdout]).toEqual([0, 'Yes.\n']);
  expect(next.stderr).toMatch(made);
  expect(model.requests.map(isCompaction)).toEqual([false, true, false]);
  expect(textsOf(inputOf(model, 2)).at(-1)).toBe('Go on.');
});

it('programs hear of it when they ask for events about context, and not otherwise', async () => {
  const { place, id } = await begun(
    talk([saysLong(), saysLong(['exec_command', { cmd: 'echo hello' }]), says('Yes.')]),
  );
  const next = await place.run('exec', '--json', '--context-events', 'resume', id, 'Go on.');
  const wanted = ['context.checkpoint started', 'context.checkpoint installed'];
  // Before the turn, and between its two steps.
  expect(types(next.events).filter((type) => String(type).startsWith('context.checkpoint'))).toEqual([
    ...wanted,
    ...wanted,
  ]);
  expect(next.events.filter(({ type }) => type === 'turn.started')).toHaveLength(1);
  const plain = await place.run('exec', '--json', 'resume', id, 'And on.');
  expect(types(plain.events)).toEqual([
    'thread.started',
    'turn.started',
    'item.completed agent_message',
    'turn.completed',
  ]);
});

it('one that fails is reported in both, and the turn continues', async () => {
  const compaction = () => httpError({ status: 401, body: { error: { message: 'Sign in first.' } } });
  const { model, place, id } = await begun(talk([saysLong(), says('Yes.')], compaction));
  const next = await place.run('exec', '--json', 'resume', id, 'Go on.');
  expect([next.code, types(next.events)]).toEqual([
    0,
    ['thread.started', 'turn.started', 'item.completed error', 'item.completed agent_message', 'turn.completed'],
  ]);
  expect(next.stderr).toContain('No checkpoint was made: ');
  expect(textsOf(inputOf(model, 2)).at(-1)).toBe('Go on.');
});

it('a program that is asked to end while history is compacted leaves a thread that can be resumed', async () => {
  let isHanging = true;
  const { model, place, id } = await begun(
    talk([saysLong(), says('Yes.')], (request) => (isHanging ? hangs(request) : compacts(request))),
  );
  const running = place.start(['exec', '--json', 'resume', id, 'Go on.']);
  await model.request(1);
  running.child.kill('SIGTERM');
  const ended = await running.finished;
  expect([ended.code, ended.signal]).toEqual([null, 'SIGTERM']);
  expect(types(ended.events)).toEqual([
    'thread.started',
    'turn.started',
    'item.completed error',
    'error',
    'turn.failed',
  ]);
  isHanging = false;
  const next = await place.run('exec', 'resume', id, 'And now?');
  expect([next.code, next.stdout]).toEqual([0, 'Yes.\n']);
  expect(next.stderr).toMatch(/2 of 2 user messages kept\n/);
  const texts = textsOf(inputOf(model, model.requests.length - 1)).join('\n');
  expect([task, 'Go on.', 'And now?'].filter((text) => !texts.includes(text))).toEqual([]);
  const proof = await place.run('replay', id);
  expect([proof.code, proof.stdout]).toEqual([0, expect.stringContaining('rebuilt byte for byte')]);
});
