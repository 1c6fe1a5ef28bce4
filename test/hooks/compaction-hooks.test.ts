import { expect, it } from 'vitest';
import { requestKinds, says, saysLong, smallLimit, talk, task } from '../compaction/talk.ts';
import { hook, hookedScene, type HookTable, prints } from './hooked-scene.ts';

const signal = new AbortController().signal;
const stops = prints({ continue: false, stopReason: 'the release is on.' });

async function fullThread(hooks: HookTable) {
  const scene = await hookedScene(talk([saysLong(), says('Yes.')]), hooks, { config: smallLimit });
  await scene.live.open({}, { compactsAfterTurns: false });
  await scene.live.turn(task);
  return scene;
}

it('hooks hear of a compaction before and after it, by what caused it', async () => {
  const scene = await hookedScene(talk([saysLong(), says('Yes.')]), {}, { config: smallLimit });
  const { live, keeps, seen } = scene;
  scene.write({
    PreCompact: [hook(keeps('before.json'), { matcher: 'auto' }), hook(keeps('other.json'), { matcher: 'manual' })],
    PostCompact: [hook(keeps('after.json'))],
  });
  await live.open({}, { compactsAfterTurns: false });
  await live.turn(task);
  await live.turn('Go on.');
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
  const common = {
    session_id: live.id,
    transcript_path: live.place.rollouts()[0],
    cwd: live.place.workspace,
    turn_id: live.told('turn-started')[1]?.turnId,
    model: 'gpt-5.5',
    trigger: 'auto',
  };
  expect(seen('before.json')).toEqual([{ ...common, hook_event_name: 'PreCompact' }]);
  expect(seen('after.json')).toEqual([{ ...common, hook_event_name: 'PostCompact' }]);
  await live.turn('And on.');
  expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed' });
  expect(seen('other.json')).toMatchObject([{ trigger: 'manual' }]);
});

it('one that stops it leaves history as it is, and the turn continues', async () => {
  const { live } = await fullThread({ PreCompact: [hook(stops)] });
  expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
  expect(requestKinds(live)).toEqual(['step', 'step']);
  expect(live.told('warning')).toMatchObject([{ outcome: { code: 'stopped-by-hook' } }]);
  expect(await live.thread.compact({ signal })).toMatchObject({
    kind: 'failed',
    outcome: { message: 'A hook stopped the compaction: the release is on.' },
  });
});

it('one that stops after it ends the turn; the checkpoint stands, and the words are kept', async () => {
  const { live } = await fullThread({ PostCompact: [hook(stops)] });
  expect(await live.turn('Go on.')).toEqual({ kind: 'completed', endedBy: 'hook' });
  expect(requestKinds(live)).toEqual(['step', 'checkpoint']);
  expect(live.told('checkpoint-installed')).toHaveLength(1);
  await live.turn('And on.');
  const last = live.rows(live.model.requests.length - 1).flat();
  expect([last.includes('Go on.'), last.includes('And on.')]).toEqual([true, true]);
});

it('one that breaks changes nothing, unless it must succeed', async () => {
  const open = await fullThread({ PreCompact: [hook('exit 1')] });
  await open.live.turn('Go on.');
  expect(requestKinds(open.live)).toEqual(['step', 'checkpoint', 'step']);
  const closed = await fullThread({ PreCompact: [hook('exit 1', { failClosed: true })] });
  await closed.live.turn('Go on.');
  expect(requestKinds(closed.live)).toEqual(['step', 'step']);
});
