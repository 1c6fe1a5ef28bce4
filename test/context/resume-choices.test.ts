import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });

/** The reasoning settings in the newest request. */
function reasoning({ model }: LiveThread): unknown {
  return model.requests.at(-1)!.body['reasoning'];
}

function newestContext({ place }: LiveThread): JsonObject {
  return place.lines().findLast(({ type }) => type === 'turn_context')!.payload;
}

/** The lines as they are when another program, or an older version, wrote the turns. */
function changed(lines: readonly Line[], change: (payload: JsonObject) => JsonObject): readonly Line[] {
  return lines
    .filter(({ payload }) => payload['type'] !== 'thread_settings_applied')
    .map((line) => (line.type === 'turn_context' ? { ...line, payload: change(line.payload) } : line));
}

const byCodex = ({ capstan: _ours, ...shared }: JsonObject): JsonObject => shared;

describe('what the model decided', () => {
  it('is no choice when the thread is resumed with another model', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    expect(reasoning(live)).toMatchObject({ effort: 'medium' });
    expect(newestContext(live)).toMatchObject({ effort: 'medium', capstan: { chosen: {} } });
    await live.open({ config: ['model="unheard-of"'] });
    expect(live.thread.settings.origins).not.toHaveProperty('effort');
    await live.turn('two');
    expect(reasoning(live) ?? {}).not.toHaveProperty('effort');
    await live.open({ config: ['model="gpt-6.1-sol"'] });
    await live.turn('three');
    expect(reasoning(live)).toMatchObject({ effort: 'low' });
  });

  it('is no choice when the model of a resumed thread is changed', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.open();
    await live.thread.overrideTurnContext({ model: 'unheard-of' });
    expect(live.thread.settings).not.toHaveProperty('effort');
    // The change is what the next process finds.
    await live.open();
    await live.turn('two');
    expect(reasoning(live) ?? {}).not.toHaveProperty('effort');
  });

  it('is separated from what was chosen, also where both are the same', async () => {
    const live = await LiveThread.in(yes);
    await live.open({
      config: ['model_reasoning_effort="medium"', 'model_verbosity="low"', 'model_reasoning_summary="auto"'],
    });
    await live.turn('one');
    const chosen = { effort: 'medium', verbosity: 'low', summary: 'auto' };
    expect(newestContext(live)).toMatchObject({ capstan: { chosen } });
    const { effort: _effort, ...others } = chosen;
    await live.open({ config: ['model="unheard-of"'] });
    expect(live.thread.settings).toMatchObject(others);
    await live.turn('two');
    // The efforts of the model are not known.
    expect(reasoning(live)).toEqual({ summary: 'auto' });
    // The model has no verbosity, but the thread remembers the one that was chosen.
    await live.open({ config: ['model="gpt-5.5"'] });
    expect(live.thread.settings).toMatchObject(others);
  });

  it('is taken for a default in lines that say only what it came to', async () => {
    const live = await LiveThread.in(yes);
    const older = ({ capstan, ...shared }: JsonObject): JsonObject => {
      const { chosen: _chosen, ...ours } = (capstan ?? {}) as JsonObject;
      return { ...shared, capstan: { ...ours, summary: 'auto', verbosity: 'low' } };
    };
    for (const rewrite of [byCodex, older]) {
      await live.turn('one');
      await live.rewrite((lines) => changed(lines, rewrite));
      const { settings } = await live.open({ config: ['model="unheard-of"'] });
      expect(settings).not.toHaveProperty('effort');
      expect(settings).not.toHaveProperty('verbosity');
      await live.open({ config: ['model="gpt-5.5"'] });
    }
    await live.rewrite((lines) => changed(lines, (context) => ({ ...byCodex(context), effort: 'high' })));
    const { settings } = await live.open({ config: ['model="gpt-5.4"'] });
    expect(settings).toMatchObject({ effort: 'high' });
  });
});

describe('an approval policy that the surface holds', () => {
  it('is in force for the turn, and what the thread chose is what resume restores', async () => {
    const live = await LiveThread.in(yes, 'approval_policy = "on-request"');
    await live.open({}, { heldApprovals: 'never' });
    await live.turn('one');
    expect(newestContext(live)).toMatchObject({
      approval_policy: 'never',
      capstan: {
        approval: 'on-request',
        envelope: { groups: { policy: { approval: 'never', askedApproval: 'on-request' } } },
      },
    });
    const { settings } = await live.open({ config: [] });
    expect(settings).toMatchObject({ approvals: 'on-request', origins: { approvals: 'thread' } });
    expect(settings).not.toHaveProperty('askedApproval');
  });

  it('leaves a policy that was set for the thread as it is, run after run', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.overrideTurnContext({ approvals: 'untrusted' });
    for (const text of ['two', 'three']) {
      await live.open({}, { heldApprovals: 'never' });
      await live.turn(text);
    }
    expect((await live.open()).settings.approvals).toBe('untrusted');
  });

  it('gives way to a policy that a client names, for the thread too', async () => {
    const live = await LiveThread.in(yes);
    await live.open({}, { heldApprovals: 'never' });
    expect(live.thread.settings).toMatchObject({ approvals: 'never', askedApproval: 'on-request' });
    expect(await live.thread.overrideTurnContext({ approvals: 'never' })).toMatchObject({ changed: ['approvals'] });
    await live.turn('one');
    expect((await live.open()).settings.approvals).toBe('never');
  });
});
