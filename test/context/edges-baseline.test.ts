import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });
const typesOf = (live: LiveThread) => live.place.lines().map(({ type, payload }) => payload['type'] ?? type);

describe('what a turn begins with', () => {
  it('nothing is said before the first turn, and nothing is on the disk', async () => {
    const live = await LiveThread.in([]);
    await live.open();
    expect([live.thread.state.history.length, live.place.rollouts()]).toEqual([0, []]);
  });

  it('the first turn tells everything, then records what it told, then its contract, then the words', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    expect(live.layout(0)).toEqual([
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['user', 'one'],
    ]);
    expect(typesOf(live).slice(0, 9)).toEqual([
      'session_meta',
      'task_started',
      'message',
      'message',
      'world_state',
      'turn_context',
      'thread_settings_applied',
      'message',
      'item_completed',
    ]);
  });

  it('a turn in which nothing changed adds the words alone, and still records its contract', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    const before = live.place.lines().length;
    await live.turn('two');
    expect(live.added(1)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'two'],
    ]);
    expect(typesOf(live).slice(before, before + 4)).toEqual([
      'task_started',
      'turn_context',
      'message',
      'item_completed',
    ]);
  });

  it('its contract names the turn, and is otherwise told as what differs', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.turn('two');
    const [first, second] = live.place.lines().flatMap(({ type, payload }) => {
      const { envelope } = (payload['capstan'] ?? {}) as { envelope?: { full: boolean; groups: object } };
      return type === 'turn_context' && envelope !== undefined ? [envelope] : [];
    });
    expect([first!.full, Object.keys(first!.groups).length]).toEqual([true, 8]);
    expect(second).toEqual({
      full: false,
      groups: { telemetry: { turnId: expect.any(String), traceId: expect.any(String), startedAt: expect.any(Number) } },
    });
  });

  it('after a summary everything is told again, behind it, and why', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    const kept = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] };
    const summary = { ...kept, content: [{ type: 'input_text', text: 'So far: yes.' }] };
    await live.rewrite((lines) => [
      ...lines,
      { type: 'compacted', payload: { message: 'So far: yes.', replacement_history: [kept, summary] } },
    ]);
    await live.turn('two');
    expect(live.rows(1).length).toBe(5);
    expect(live.rows(1).slice(0, 2)).toEqual([
      ['user', 'one'],
      ['user', 'So far: yes.'],
    ]);
    const again = live.told('context').slice(-3);
    expect(again.map(({ content, cause, why }) => [content, cause, why])).toEqual([
      ['permissions', 'reinjection', 'checkpoint'],
      ['environment_context', 'reinjection', 'checkpoint'],
      ['plain', 'user', undefined],
    ]);
  });

  it('a file that says nothing of what was told is told everything again, once', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.rewrite((lines) => lines.filter(({ type }) => type !== 'world_state'));
    await live.turn('two');
    await live.turn('three');
    expect([live.layout(1), live.layout(2)]).toEqual([
      [
        ['assistant', 'Yes.'],
        ['developer', 'permissions'],
        ['user', 'environment'],
        ['user', 'two'],
      ],
      [
        ['assistant', 'Yes.'],
        ['user', 'three'],
      ],
    ]);
  });
});

describe('what changes together', () => {
  it('comes in the order of the sections: permissions, manner of speech, environment, words', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.overrideTurnContext({ cwd: live.place.root, approvals: 'untrusted', personality: 'friendly' });
    await live.turn('two');
    expect(live.layout(1).slice(1)).toEqual([
      ['developer', 'permissions'],
      ['developer', 'personality'],
      ['user', 'environment'],
      ['user', 'two'],
    ]);
  });

  it('another folder with other instructions: one message holds both', async () => {
    const live = await LiveThread.in(yes);
    const sub = join(live.place.workspace, 'sub');
    mkdirSync(sub);
    writeFileSync(join(live.place.workspace, 'AGENTS.md'), 'Use tabs.');
    writeFileSync(join(sub, 'AGENTS.md'), 'Use dots.');
    await live.turn('one');
    await live.thread.overrideTurnContext({ cwd: sub });
    await live.turn('two');
    expect(live.layout(1).slice(2)).toEqual([
      ['user', 'agents-md', 'environment'],
      ['user', 'two'],
    ]);
  });

  it('approval and mode: one message holds both', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.overrideTurnContext({ approvals: 'untrusted', collaboration: { mode: 'plan' } });
    await live.turn('two');
    expect(live.layout(1).slice(1)).toEqual([
      ['developer', 'permissions', 'collaboration-mode'],
      ['user', 'environment'],
      ['user', 'two'],
    ]);
  });
});

describe('the environment', () => {
  it('tells what differs and nothing else', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.overrideTurnContext({ approvals: 'untrusted' });
    await live.turn('two');
    const told = live
      .added(1)
      .flat()
      .filter((text) => text.startsWith('<environment_context>'));
    expect(told).toEqual([
      '<environment_context>\n  <approval_policy>untrusted</approval_policy>\n</environment_context>',
    ]);
  });

  it('is not told when the configuration turned it off, and taken back when that comes later', async () => {
    const off = { config: ['include_environment_context=false'] };
    const live = await LiveThread.in(yes);
    await live.open(off);
    await live.turn('one');
    await live.open();
    await live.turn('two');
    await live.open(off);
    await live.turn('three');
    expect([live.layout(0), live.layout(1).slice(1), live.added(2).slice(1)]).toEqual([
      [
        ['developer', 'permissions'],
        ['user', 'one'],
      ],
      [
        ['user', 'environment'],
        ['user', 'two'],
      ],
      [
        ['user', '<environment_context>\n  <withdrawn />\n</environment_context>'],
        ['user', 'three'],
      ],
    ]);
  });
});
