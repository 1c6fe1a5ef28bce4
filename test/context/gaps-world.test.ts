import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatheredFacts } from '../../src/core/envelope/facts.ts';
import type { SettingsChange } from '../../src/index.ts';
import { recogniseFragment } from '../../src/core/world/recognise-fragments.ts';
import { words } from '../../src/protocol/user-input.ts';
import { answer, callTool, say, type Script, type ScriptedModel, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { factsOf, firstWorld } from '../harness/world.ts';
import { rowOf } from '../harness/live-thread.ts';
import { inputOf } from '../harness/scene.ts';
import { WatchedThread } from '../harness/watched-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });

interface Stage {
  readonly model: ScriptedModel;
  readonly thread: WatchedThread;
  /** The facts of the world besides those that the thread gets from its parts. */
  facts: Partial<GatheredFacts>;
  settings: SettingsChange;
  turn(text: string): Promise<void>;
  /** The texts that a request told anew, by kind where they are context. */
  told(request: number): readonly string[];
}

async function stage(script: Script): Promise<Stage> {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  const made: Stage = {
    model,
    thread,
    facts: {},
    settings: {},
    async turn(text) {
      const open = await thread.open();
      await open.overrideTurnContext(made.settings);
      await open.run({ input: words(text), signal: new AbortController().signal });
    },
    told(request) {
      const before = request === 0 ? 0 : inputOf(model, request - 1).length;
      return inputOf(model, request)
        .slice(before)
        .map(rowOf)
        .flatMap(([role, ...texts]) => (role === 'assistant' ? [] : texts));
    },
  };
  thread.adapt = (parts) => ({
    ...parts,
    gatherFacts: async (settings) => ({ ...(await parts.gatherFacts(settings)), ...made.facts }),
  });
  return made;
}

const kinds = (texts: readonly string[]) =>
  texts.map((text) => recogniseFragment('developer', text) ?? recogniseFragment('user', text) ?? text);

describe('what was found', () => {
  it('apps, plugins and skills are told when they come, and taken back when they go', async () => {
    const live = await stage(yes);
    const found = { apps: true, plugins: true };
    const knit = [{ name: 'knit', description: 'One skill.' }];
    await live.turn('one');
    for (const text of ['two', 'three', 'four', 'five']) {
      const isGone = text === 'four' || text === 'five';
      live.facts = isGone ? {} : { found };
      live.thread.world = { ...firstWorld, skills: isGone ? [] : knit };
      await live.turn(text);
    }
    const all = ['apps-guidance', 'plugins-guidance', 'skills-catalogue'];
    expect([1, 2, 3, 4].map((request) => kinds(live.told(request)))).toEqual([
      [...all, 'two'],
      ['three'],
      [...all, 'four'],
      ['five'],
    ]);
    for (const text of live.told(3).slice(0, 3)) expect(text).toMatch(/no longer|withdrawn|none|not/i);
  });

  it('groups of deferred tools are told, and that none remain is told once', async () => {
    const live = await stage(yes);
    const deferred = [{ name: 'mcp__a', description: 'Tools: x' }];
    for (const text of ['one', 'two', 'three', 'four']) {
      live.thread.world = { ...firstWorld, deferred: text === 'one' ? deferred : [] };
      await live.turn(text);
    }
    expect(live.told(0)).toContain('<tools>\nDeferred tool namespaces:\n- mcp__a: Tools: x\n</tools>');
    expect([1, 2, 3].map((request) => live.told(request))).toEqual([
      ['<tools>\nNo deferred tool namespaces remain.\n</tools>', 'two'],
      ['three'],
      ['four'],
    ]);
  });

  it('skills are told as a text and stored as a digest of it', async () => {
    const live = await stage(yes);
    live.thread.world = { ...firstWorld, skills: [{ name: 'knit', description: 'One skill. '.repeat(80) }] };
    await live.turn('one');
    const states = (await live.thread.lines()).filter(({ type }) => type === 'world_state');
    expect(JSON.stringify(states)).not.toContain('One skill.');
    expect(states[0]!.payload['state']).toMatchObject({ skills: { capstan_catalogue: expect.any(String) } });
  });
});

describe('a mode that the model cannot run', () => {
  it('becomes the default one, which is said once; it is back with a model that can', async () => {
    const live = await stage(yes);
    const thread = await live.thread.open();
    const { catalogue } = factsOf(firstWorld, firstWorld.cwd, 0);
    const simple = { ...catalogue.fallback, slug: 'simple', modes: { default: {} } };
    live.facts = { catalogue: { ...catalogue, models: [simple] } };
    const steps = [
      { collaboration: { mode: 'plan' } },
      { model: 'simple' },
      { effort: 'low' },
      { model: 'gpt-5.5' },
    ] as const;
    for (const settings of steps) {
      live.settings = settings;
      await live.turn('go');
    }
    const modes = live.model.requests.map((_, request) => kinds(live.told(request)).includes('collaboration-mode'));
    expect(modes).toEqual([true, true, false, true]);
    expect(live.told(1).find((text) => text.startsWith('<collaboration'))).toBe(
      '<collaboration_mode>\nThe mode described earlier has ended, and what it asked for no longer holds.\n</collaboration_mode>',
    );
    const warnings = live.thread.events.flatMap((event) => (event.kind === 'warning' ? [event.outcome] : []));
    expect(warnings.filter(({ code }) => code === 'mode-unsupported')).toEqual([
      {
        code: 'mode-unsupported',
        message: 'The model simple does not support plan mode; the turn runs in default mode.',
        next: 'Choose a model that supports it, or leave plan mode.',
      },
    ]);
    const switched = live.thread.events.flatMap((event) => (event.kind === 'model-switched' ? [event.changes] : []));
    expect(switched.map((changes) => changes.map(({ field }) => field))).toEqual([
      // The model that cannot run it has no efforts either.
      ['identity.effort', 'modes.collaboration'],
      // The abilities of the other model are not known, so that it gets no setting that was chosen for this one.
      ['identity.effort', 'modes.collaboration'],
    ]);
    expect(thread.settings.collaboration).toEqual({ mode: 'plan' });
  });
});

describe('the date', () => {
  it('may move between two requests of a turn, also back: each is told, and only it', async () => {
    const live = await stage([
      answer({ items: [callTool('exec_command', { cmd: 'true' })] }),
      answer({ items: [callTool('exec_command', { cmd: 'true' })] }),
      yes(),
    ]);
    const dates = ['2026-11-16', '2026-11-14'];
    live.thread.onCommand = () => {
      live.thread.world = { ...live.thread.world, date: dates.shift()! };
    };
    await live.turn('one');
    const date = (day: string) =>
      `<environment_context>\n  <current_date>${day}</current_date>\n</environment_context>`;
    expect([live.told(1).at(-1), live.told(2).at(-1)]).toEqual([date('2026-11-16'), date('2026-11-14')]);
  });
});
