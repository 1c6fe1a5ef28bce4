import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });

describe('each setting', () => {
  const body = (live: LiveThread) => live.model.requests.at(-1)!.body;
  const texts = (live: LiveThread) => live.added(live.model.requests.length - 1).flat();
  const changes = {
    model: { change: { model: 'gpt-5.4' }, seen: (live: LiveThread) => body(live)['model'], as: 'gpt-5.4' },
    effort: { change: { effort: 'high' }, seen: (live: LiveThread) => body(live)['reasoning'], as: { effort: 'high' } },
    summary: {
      change: { summary: 'detailed' },
      seen: (live: LiveThread) => body(live)['reasoning'],
      as: { effort: 'medium', summary: 'detailed' },
    },
    serviceTier: {
      change: { serviceTier: 'fast' },
      seen: (live: LiveThread) => body(live)['service_tier'],
      as: 'priority',
    },
    cwd: {
      change: ({ place }: LiveThread) => ({ cwd: join(place.workspace, 'sub') }),
      seen: texts,
      as: expect.arrayContaining([expect.stringContaining('/workspace/sub</cwd>')]),
    },
    approvals: {
      change: { approvals: 'untrusted' },
      seen: texts,
      as: expect.arrayContaining([expect.stringContaining('Approval: untrusted.')]),
    },
    sandbox: {
      change: { sandbox: 'read-only' },
      seen: texts,
      as: expect.arrayContaining([expect.stringContaining('Sandbox: read-only.')]),
    },
    personality: {
      change: { personality: 'pragmatic' },
      seen: texts,
      as: expect.arrayContaining([expect.stringContaining('Manner of speech: pragmatic.')]),
    },
    collaboration: {
      change: { collaboration: { mode: 'plan', instructions: 'Plan it.' } },
      seen: texts,
      as: expect.arrayContaining([expect.stringContaining('Plan it.')]),
    },
  } as const;

  it.each(Object.entries(changes))(
    '%s: holds in the next turn, and when another process continues',
    async (name, row) => {
      const { change, seen, as } = row;
      const live = await LiveThread.in(yes);
      mkdirSync(join(live.place.workspace, 'sub'));
      await live.turn('one');
      expect(seen(live)).not.toEqual(as);
      await live.thread.overrideTurnContext(typeof change === 'function' ? change(live) : change);
      await live.open();
      await live.turn('two');
      expect(seen(live), name).toEqual(as);
      const told = live.thread.settings;
      await live.open();
      expect({ ...live.thread.settings, origins: {} }).toEqual({ ...told, origins: {} });
      await live.turn('three');
      // Text that was told stands, and is not told again.
      expect(live.added(2)).toEqual([
        ['assistant', 'Yes.'],
        ['user', 'three'],
      ]);
    },
  );

  it('realtime: holds in the next turn; the conversation ends with the process that led it', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.overrideTurnContext({ realtime: { active: true } });
    await live.turn('two');
    await live.open();
    await live.turn('three');
    expect([1, 2].map((request) => live.layout(request).slice(1, -1))).toEqual([
      [['developer', 'realtime-start']],
      [['developer', 'realtime-end']],
    ]);
  });

  it('what was turned off stays off, whatever the file says', async () => {
    const file = 'service_tier = "priority"\nmodel_reasoning_summary = "detailed"\npersonality = "friendly"';
    const live = await LiveThread.in(yes, file);
    await live.turn('one');
    await live.thread.overrideTurnContext({ serviceTier: null, summary: 'none', personality: null });
    await live.turn('two');
    await live.open();
    await live.turn('three');
    await live.open();
    expect(live.thread.settings).not.toHaveProperty('personality');
    expect([1, 2].map((request) => live.layout(request).slice(1))).toEqual([
      [
        ['developer', 'personality'],
        ['user', 'two'],
      ],
      [['user', 'three']],
    ]);
    const bodies = live.model.requests.map(({ body: { service_tier: tier, reasoning } }) => [tier, reasoning]);
    expect(bodies).toEqual([
      ['priority', { effort: 'medium', summary: 'detailed' }],
      [undefined, { effort: 'medium' }],
      [undefined, { effort: 'medium' }],
    ]);
  });
});
