import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/index.ts';
import { answer, callTool, say, type ScriptStepOf } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { notes } from './adversary/transcripts.ts';
import { compacts, linesOf, requestKinds, says, saysLong, talk, task } from './talk.ts';

/** A call that makes a further step, and takes no process. */
const goesOn = (step: number) => callTool('update_plan', { plan: [{ step: `part ${step}`, status: 'pending' }] });

/** A provider that counts more than is there, by as much as it likes. */
function liar(steps: number, counts: (step: number) => number): readonly ScriptStepOf[] {
  return Array.from({ length: steps }, (_, step): ScriptStepOf => () => {
    const call = step === steps - 1 ? [] : [goesOn(step)];
    return answer({ items: [say(notes(step, 800)), ...call], usage: { input: counts(step) } });
  });
}

const aKey = /`(?:model_context_window|model_auto_compact_token_limit) = \d+`/;

test.each<readonly [string, (step: number) => number, RegExp]>([
  ['a constant', (step) => 40_000 + 500 * step, aKey],
  ['more and more', (step) => 20_000 * (step + 1), aKey],
  ['nonsense', (step) => (step % 2 === 0 ? 10_000_000 : 21_000), aKey],
  // No window is that large.
  ['far', () => 10_000_000, /what the provider adds to requests/],
])('a provider that counts %s too much gets one checkpoint and one warning', async (_, counts, next) => {
  const live = await LiveThread.in(talk(liar(20, counts), compacts), 'model_auto_compact_token_limit = 20000');
  expect(await live.turn(task)).toMatchObject({ kind: 'completed' });
  expect(requestKinds(live).filter((kind) => kind === 'checkpoint').length).toBeLessThanOrEqual(1);
  const warnings = live.told('warning').filter(({ outcome }) => /after-checkpoint|too-low/.test(outcome.code));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.outcome.next).toMatch(next);
});

test('another process keeps to it', async () => {
  const live = await LiveThread.in(
    talk(
      liar(40, () => 60_000),
      compacts,
    ),
    'model_auto_compact_token_limit = 20000',
  );
  await live.turn(task);
  await live.open();
  await live.turn('Go on.');
  await live.open();
  await live.turn('Go on again.');
  expect(linesOf(live, 'compacted').length).toBeLessThanOrEqual(1);
  // It was said once, and a rollback does not make that undone.
  expect(guardWarnings(live)).toHaveLength(1);
  await live.close();
  expect(await (await live.engine()).stored.rollback(live.id, { turns: 2 })).toMatchObject({ kind: 'rolled-back' });
  await live.turn('Once more.');
  expect(guardWarnings(live)).toHaveLength(1);
});

function guardWarnings(live: LiveThread): readonly Outcome[] {
  const all = live.told('warning').map(({ outcome }) => outcome);
  return all.filter(({ code }) => /after-checkpoint|too-low/.test(code));
}

describe('what a warning suggests', () => {
  /** Pastes it into the configuration, and gives what is warned of in two more turns. */
  async function pasted(live: LiveThread): Promise<readonly Outcome[]> {
    const [{ next }] = guardWarnings(live) as readonly [Outcome];
    const lines = [...next.matchAll(/`(\w+ = \d+)`/g)].map(([, line]) => line!);
    expect(lines).not.toEqual([]);
    const path = join(live.place.home, 'config.toml');
    await live.close();
    const keys = lines.map((line) => line.split(' ')[0]!);
    const others = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => !keys.some((key) => line.startsWith(key)));
    writeFileSync(path, [...lines, ...others].join('\n'));
    const said = guardWarnings(live).length;
    await live.open();
    expect(live.notices).toEqual([]);
    await live.turn('Go on.');
    await live.turn('And on.');
    return guardWarnings(live).slice(said);
  }

  /** About 8,000 tokens of context. */
  const rules = notes(7, 24_000);

  test('makes it go away: a configured limit that is too low', async () => {
    const live = await LiveThread.in(talk([says('Yes.')]), 'model_auto_compact_token_limit = 9000');
    writeFileSync(join(live.place.workspace, 'AGENTS.md'), rules);
    await live.turn(task);
    await live.turn('Go on.');
    expect(guardWarnings(live)).toMatchObject([
      {
        code: 'limit-too-low',
        message: expect.stringMatching(/instructions and tools take about [\d,]+ tokens, the context about [\d,]+\.$/),
      },
    ]);
    expect(await pasted(live)).toEqual([]);
  });

  test('makes it go away: what the provider counts beyond our estimate', async () => {
    const steps = liar(20, () => 18_000).slice(0, -1);
    const live = await LiveThread.in(
      talk([...steps, says('Done.')], compacts),
      'model_auto_compact_token_limit = 16000',
    );
    await live.turn(task);
    expect(guardWarnings(live)).toMatchObject([
      { code: 'limit-too-low', message: expect.stringMatching(/the provider counts [\d,]+ tokens more per request/) },
    ]);
    expect(await pasted(live)).toEqual([]);
  });

  test('makes it go away: a thread that is full right after a checkpoint', async () => {
    const steps = liar(6, (step) => (step === 1 ? 4000 : 30_000)).slice(0, -1);
    const live = await LiveThread.in(
      talk([...steps, says('Done.')], compacts),
      'model_auto_compact_token_limit = 20000',
    );
    await live.turn(task);
    expect(guardWarnings(live)).toMatchObject([{ code: 'full-after-checkpoint' }]);
    expect(await pasted(live)).toEqual([]);
  });

  test('names the parts of a window that is too small for them', async () => {
    const live = await LiveThread.in(talk([says('Yes.')]), 'model_context_window = 2000');
    writeFileSync(join(live.place.workspace, 'AGENTS.md'), rules);
    await live.turn(task);
    const [warning] = guardWarnings(live);
    expect(warning!.next).toMatch(/`model_context_window = \d+`/);
    expect(await pasted(live)).toEqual([]);
  });
});

test.each([
  ['between two turns', [say('Done.')]],
  ['in a turn', [callTool('exec_command', { cmd: 'echo looked' })]],
])('the count of a provider alone makes the first checkpoint, %s, however little stands', async (_, items) => {
  const full = answer({ items, usage: { input: 120_000, total: 120_010 } });
  const live = await LiveThread.in(talk([full, says('Done.')]), 'model_auto_compact_token_limit = 60000');
  await live.open({}, { compactsAfterTurns: false });
  await live.turn('look');
  await live.turn('go on');
  expect(live.told('checkpoint-installed')).toHaveLength(1);
});

test('the first automatic checkpoint of a thread waits for nothing, and none after it comes before a tenth is new', async () => {
  const few = answer({ items: [say('Yes.'), callTool('exec_command', { cmd: 'echo' })], usage: { input: 30_000 } });
  const much = (step: number) => answer({ items: [say(notes(step, 3000)), goesOn(step)], usage: 'none' });
  const live = await LiveThread.in(
    talk([
      saysLong(['exec_command', { cmd: 'echo' }]),
      ...Array.from({ length: 30 }, (_, step) => much(step)),
      few,
      says('Done.'),
    ]),
    'model_auto_compact_token_limit = 20000',
  );
  await live.open({}, { compactsAfterTurns: false });
  await live.turn(task);
  expect(requestKinds(live).slice(0, 3)).toEqual(['step', 'checkpoint', 'step']);
  const places = requestKinds(live).flatMap((kind, at) => (kind === 'checkpoint' ? [at] : []));
  const between = places.slice(1).map((at, index) => at - places[index]!);
  expect(between.length).toBeGreaterThan(0);
  expect(Math.min(...between)).toBeGreaterThan(2);
});

test('after a rollback in the old form to before the checkpoint, the guard does not hold the thread back', async () => {
  const live = await LiveThread.in(
    talk([saysLong(), says('Yes.'), says('Done.')]),
    'model_auto_compact_token_limit = 20000',
  );
  await live.open({}, { compactsAfterTurns: false });
  await live.turn(task);
  await live.rewrite((lines) =>
    lines.map((line) =>
      line.type === 'session_meta' ? { ...line, payload: { ...line.payload, history_mode: 'legacy' } } : line,
    ),
  );
  await live.open({}, { compactsAfterTurns: false });
  await live.turn('Go on.');
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
  await live.close();
  expect(await (await live.engine()).stored.rollback(live.id, { turns: 1 })).toMatchObject({ kind: 'rolled-back' });
  await live.open({}, { compactsAfterTurns: false });
  await live.turn('Otherwise.');
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step', 'checkpoint', 'step']);
});
