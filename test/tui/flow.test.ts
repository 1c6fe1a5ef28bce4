import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { words } from '../../src/protocol/user-input.ts';
import type { LiveThread } from '../../src/engine/live/live-thread-types.ts';
import { defaultScreenLook, TuiScreen } from '../../src/surfaces/tui/screen/tui-screen.ts';
import { TurnFlow } from '../../src/surfaces/tui/flow/turn-flow.ts';
import { draftFromText } from '../../src/surfaces/tui/draft/draft.ts';
import { ListView } from '../../src/surfaces/tui/pages/list-view.ts';
import { MemoryTerminal } from '../harness/memory-terminal.ts';

const nothing = (): void => {};
const none = { kind: 'refused', outcome: { code: 'no-active-turn', message: 'No turn runs.', next: '' } } as const;
const completed = { kind: 'completed' } as const;
/** The next turn would fail in the same way. */
const lasting = {
  kind: 'failed',
  outcome: { code: 'model-failed', message: 'No.', next: 'Raise it.', cause: 'quota', retry: 'never' },
} as const;

/** Moments that a real thread has for a few milliseconds: it does here what the test says, and notes what it was told. */
function scene() {
  const told: string[] = [];
  const turns: ((result: typeof completed | typeof lasting) => void)[] = [];
  let isRunning = false;
  const thread = {
    get turnId() {
      return isRunning ? 'turn' : undefined;
    },
    submit({ input }: { readonly input: ReturnType<typeof words> }) {
      told.push(`turn ${JSON.stringify(input)}`);
      const { promise, resolve } = Promise.withResolvers<unknown>();
      turns.push(resolve);
      return promise;
    },
    async steer({ input }: { readonly input: ReturnType<typeof words> }) {
      if (!isRunning) return none;
      told.push(`steer ${JSON.stringify(input)}`);
      return { kind: 'steered', messageId: String(told.length) };
    },
    withdraw: async (ids: readonly string[]) => ids,
  };
  const look = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const now = (): number => 0;
  const stage = new TuiScreen({ terminal: new MemoryTerminal(), look, isFull: false, reflows: false, now });
  const flow = new TurnFlow({
    keep: () => {},
    stage,
    now,
    thread: () => thread as unknown as LiveThread,
    inputOf: async ({ text }) => words(text),
    notice: (text) => void told.push(text),
    told: nothing,
    guard: (work) => void work,
    shell: async () => {},
    slash: async () => {},
    broken: nothing,
    later: () => [],
  });
  stage.viewClosed = () => flow.released();
  const runs = (is: boolean): void => void (isRunning = is);
  return { flow, stage, told, runs, end: (result: Parameters<(typeof turns)[0]>[0]) => turns.shift()?.(result) };
}

const list = new ListView({ title: 'A list', items: [{ label: 'One', about: '' }], pick: nothing, close: nothing });

describe('what follows what', () => {
  it('words for a turn do not overtake those that came before it had begun', async () => {
    const { flow, told, runs } = scene();
    void flow.send(draftFromText('Go.'), nothing);
    await flow.send(draftFromText('One.'), nothing);
    // The turn has begun, and the screen has not read that yet.
    runs(true);
    await flow.send(draftFromText('Two.'), nothing);
    flow.turnBegan();
    await soon();
    const said = (kind: string, text: string): string => `${kind} ${JSON.stringify(words(text))}`;
    expect(told).toEqual([said('turn', 'Go.'), said('steer', 'One.'), said('steer', 'Two.')]);
  });

  it('words that a turn did not read stand in the composer when it has ended', async () => {
    const { flow, stage, runs } = scene();
    void flow.send(draftFromText('Go.'), nothing);
    await soon();
    runs(true);
    await flow.send(draftFromText('One.'), nothing);
    await flow.send(draftFromText('Two.'), nothing);
    runs(false);
    await flow.turnOver();
    expect([stage.composer.draft.text, flow.waiting.steers]).toEqual(['One.\nTwo.', []]);
  });

  it('a list that is open holds what waits, and lets it go when it closes', async () => {
    const { flow, stage, told, end } = scene();
    void flow.send(draftFromText('Go.'), nothing);
    flow.queue(draftFromText('Queued.'));
    stage.open(list);
    await soon();
    end(completed);
    await soon();
    expect(flow.waiting.queued).toHaveLength(1);
    stage.open(undefined);
    await soon();
    expect([told.length, flow.waiting.queued.length]).toEqual([2, 0]);
  });

  it('a turn that failed is not tried again while a command is at work: it may lead to another conversation', async () => {
    const { flow, told, end } = scene();
    void flow.send(draftFromText('Go.'), nothing);
    await soon();
    end(lasting);
    await soon();
    const command = Promise.withResolvers<void>();
    const held = flow.hold(command.promise);
    expect(flow.canRetry).toBe(false);
    await flow.retry();
    expect(told).toHaveLength(1);
    command.resolve();
    await held;
    const shell = Promise.withResolvers<void>();
    void flow.holdForShell(shell.promise);
    expect(flow.canRetry).toBe(true);
  });

  it.each([
    [
      'a list that closes',
      async ({ stage }: ReturnType<typeof scene>) => [list, undefined].forEach((view) => stage.open(view)),
    ],
    ['a command of the user that ends', ({ flow }: ReturnType<typeof scene>) => flow.hold(Promise.resolve())],
    ['the end of a turn of the thread', ({ flow }: ReturnType<typeof scene>) => flow.turnOver()],
  ])('%s does not send what would fail in the same way', async (_, happens) => {
    const parts = scene();
    const { flow, told, end } = parts;
    void flow.send(draftFromText('Go.'), nothing);
    flow.queue(draftFromText('Queued.'));
    await soon();
    end(lasting);
    await soon();
    await happens(parts);
    await soon();
    expect([told.length, flow.waiting.queued.length, flow.canRetry]).toEqual([1, 1, true]);
  });

  it('a compaction that fails for good says why the queue waits, and what sends it', async () => {
    const { flow, told, end } = scene();
    const compaction = Promise.withResolvers<typeof lasting>();
    const over = flow.runOther('Compacting the conversation', () => compaction.promise);
    flow.queue(draftFromText('Queued.'));
    compaction.resolve(lasting);
    await over;
    await soon();
    const held =
      'The queue waits: its first message would fail in the same way. This account has used up its quota. Raise it. ' +
      'The next message that you send is tried, and the queue follows it.';
    expect([told, flow.waiting.queued.length, flow.canRetry]).toEqual([[held], 1, false]);
    void flow.send(draftFromText('Go.'), nothing);
    await soon();
    end(completed);
    await soon();
    expect(told.slice(1)).toEqual(['Go.', 'Queued.'].map((text) => `turn ${JSON.stringify(words(text))}`));
  });
});
