import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread, namesIn } from '../harness/live-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });
const bundle = [
  ['developer', 'permissions'],
  ['user', 'environment'],
];

/** A thread of one turn, whose newest line of a type is changed, and which then has two more. */
async function damaged(type: string, change: (line: Line) => JsonObject): Promise<LiveThread> {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  await live.rewrite((lines) => lines.map((line) => (line.type === type ? { ...line, payload: change(line) } : line)));
  await live.turn('two');
  await live.turn('three');
  // Whatever the line says: what the model saw stands, and what comes next continues from it.
  expect(live.rows(1).slice(0, 4).map(namesIn)).toEqual([...bundle, ['user', 'one'], ['assistant', 'Yes.']]);
  expect(live.added(2)).toEqual([
    ['assistant', 'Yes.'],
    ['user', 'three'],
  ]);
  return live;
}

describe('a record of what the model was told that makes no sense', () => {
  const state = (value: Json) => () => ({ full: true, state: value });
  it.each<[string, (line: Line) => JsonObject]>([
    ['nothing', () => ({})],
    ['no state', () => ({ full: true })],
    ['a number', state(7)],
    ['a list', state([{}])],
    ['a patch of nothing', ({ payload }) => ({ ...payload, full: false })],
    ['no sections', state({})],
    ['sections of others', state({ weather: { rain: true } })],
    ['sections of another sort', state({ permissions: { x: 1 }, environments: { environments: [] } })],
  ])('%s: everything is told once more', async (_name, change) => {
    const live = await damaged('world_state', change);
    expect(live.layout(1)).toEqual([['assistant', 'Yes.'], ...bundle, ['user', 'two']]);
  });

  it('numbers for sections: also what there is not is said, since something else may have been told', async () => {
    const live = await damaged(
      'world_state',
      state({ permissions: 7, environments: 7, agents_md: { text: 7 }, model: 7 }),
    );
    expect(live.layout(1)).toEqual([
      ['assistant', 'Yes.'],
      ['developer', 'model-switch'],
      ['developer', 'permissions'],
      ['user', 'agents-md', 'environment'],
      ['user', 'two'],
    ]);
  });

  it('a part of it: only that part is told once more', async () => {
    const live = await damaged('world_state', ({ payload }) => ({
      ...payload,
      state: { ...(payload['state'] as JsonObject), environments: { environments: { local: { cwd: 7 } } } },
    }));
    expect(live.layout(1)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'environment'],
      ['user', 'two'],
    ]);
  });
});

describe('a contract of a turn that makes no sense', () => {
  /** Goes on after the newest contract was changed, and nothing else speaks for it. */
  async function withContract(change: (payload: JsonObject) => JsonObject): Promise<LiveThread> {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.rewrite((lines) =>
      lines
        .filter(({ payload }) => payload['type'] !== 'thread_settings_applied')
        .map((line) => (line.type === 'turn_context' ? { ...line, payload: change(line.payload) } : line)),
    );
    await live.turn('two');
    return live;
  }

  it.each<[string, (payload: JsonObject) => JsonObject]>([
    ['nothing', () => ({})],
    ['wrong types everywhere', (payload) => Object.fromEntries(Object.keys(payload).map((key) => [key, 7]))],
    ['blank names', (payload) => ({ ...payload, model: '', effort: ' ' })],
    ['a folder that is relative to nothing', (payload) => ({ ...payload, cwd: 'x' })],
    [
      'choices of garbage',
      (payload) => ({
        ...payload,
        capstan: {
          envelope: { full: false, groups: 7 },
          approved_prefixes: [7, [7]],
          network_rules: [7, { host: 1 }],
          mode: 7,
          service_tier: {},
          personality: 'grumpy',
        },
      }),
    ],
  ])('%s: what was configured holds, and nothing is told anew', async (_name, change) => {
    const live = await withContract(change);
    expect(live.thread.settings).toMatchObject({
      model: 'gpt-5.5',
      cwd: live.place.workspace,
      approvals: 'on-request',
    });
    expect(live.added(1)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'two'],
    ]);
  });

  const entries = [7, null, {}, { path: 9, access: 'write' }, { path: { type: 'special' }, access: 'own' }];
  const profile = { type: 'managed', network: 'restricted', file_system: { type: 'restricted', entries } };
  it.each<[string, (payload: JsonObject) => JsonObject]>([
    ['entries of garbage', (payload) => ({ ...payload, capstan: { profile } })],
    [
      'the same in the shared key',
      (payload) => ({ ...payload, permission_profile: profile, sandbox_policy: 7, capstan: 7 }),
    ],
    [
      'an unknown form',
      (payload) => ({ ...payload, sandbox_policy: { type: 'moon' }, permission_profile: 7, capstan: 7 }),
    ],
  ])('permissions with %s: nothing may be written, whatever is configured', async (_name, change) => {
    const live = await withContract(change);
    expect(live.added(1)[1]).toEqual(['developer', expect.stringContaining('Sandbox: read-only.')]);
  });
});
