import { approvalName } from '../../src/core/policy/decide/approval-policy.ts';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import type { SettingsChange } from '../../src/core/envelope/apply-settings-change.ts';
import type { Settings } from '../../src/core/envelope/settings.ts';
import { profileSandboxLevel } from '../../src/core/policy/profiles/profile-entries.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { lineType } from '../../src/protocol/line.ts';
import { words } from '../../src/protocol/user-input.ts';
import { turnContextSummary } from '../../src/core/state/turns/turn-words.ts';
import { answer, callTool, say, SimulatedDisk, startScriptedModel } from '../../src/testing/index.ts';
import type { CompactionResult } from '../../src/engine/thread/checkpoint/compaction-result.ts';
import { defined } from '../../src/base/objects.ts';
import type { ThreadTurn } from '../../src/engine/thread/read-turn.ts';
import type { Thread } from '../../src/engine/thread/thread.ts';
import { checkpointText, isCompaction } from '../compaction/summariser.ts';
import { WatchedThread } from '../harness/watched-thread.ts';

/** As much of the settings as this law looks at, in words. */
interface Chosen {
  readonly model: string;
  readonly approval: string;
  readonly sandbox: string;
  readonly personality: string | null;
  readonly cwd: string;
}

const first: Chosen = {
  model: 'gpt-5.5',
  approval: 'never',
  sandbox: 'workspace-write',
  personality: null,
  cwd: '/repo',
};

/** Every model takes over without a checkpoint, so that the turns are those that were submitted. */
const good = fc.record(
  {
    model: fc.constantFrom('gpt-5.5', 'planner', 'gpt-5.4'),
    approvals: fc.constantFrom('never' as const, 'on-request' as const, 'untrusted' as const),
    sandbox: fc.constantFrom('read-only' as const, 'workspace-write' as const, 'danger-full-access' as const),
    personality: fc.constantFrom('friendly' as const, 'pragmatic' as const, null),
    cwd: fc.constantFrom('/repo', '/other'),
  },
  { requiredKeys: [] },
);
const change = fc.oneof(
  { weight: 5, arbitrary: good.map((value) => ({ value, accepted: true })) },
  {
    weight: 1,
    arbitrary: good.map((value) => ({ value: { ...value, approvals: 'sometimes' as never }, accepted: false })),
  },
);
/** Turns of the event loop before the next operation; `idle`: until everything that was asked for is over. */
const pause = fc.oneof(
  fc.constant(0),
  fc.nat(12),
  { weight: 4, arbitrary: fc.constant(0) },
  fc.nat(80),
  fc.constant('idle' as const),
);
const operation = fc.oneof(
  fc.record({ kind: fc.constant('run' as const), pause }),
  fc.record({ kind: fc.constant('runWith' as const), change, pause }),
  fc.record({ kind: fc.constant('override' as const), change, pause }),
  fc.record({ kind: fc.constantFrom('steer' as const, 'compact' as const), pause }),
  fc.record({ kind: fc.constant('interrupt' as const), turn: fc.nat(5), pause }),
);
const story = fc.record({
  operations: fc.array(operation, { minLength: 4, maxLength: 14 }),
  /** The delay of each answer of the model, and whether it asks for a command. */
  answers: fc.array(fc.record({ delay: fc.nat(40), calls: fc.boolean() }), { minLength: 1, maxLength: 6 }),
  /** True if the thread is closed while turns wait. */
  closesEarly: fc.boolean(),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

function changed(before: Chosen, { sandbox, approvals, ...given }: SettingsChange): Chosen {
  const named = defined({ sandbox: sandbox as string | undefined, approval: approvals as string | undefined });
  return { ...before, ...(given as Partial<Chosen>), ...named };
}

async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

interface SubmittedTurn {
  chosen: Chosen;
  readonly interrupt: AbortController;
  /** It was cancelled, or its thread closed, before it began. */
  neverBegan: boolean;
}

/** The turns that were submitted, each with its settings. */
class Submitted {
  readonly turns: SubmittedTurn[] = [];
  readonly compactions: { chosen: Chosen; readonly result: Promise<CompactionResult> }[] = [];
  readonly all: Promise<unknown>[] = [];
  /** The changes to the settings, in order: which turns were withdrawn is known only at the end. */
  readonly #steps: ((chosen: Chosen) => Chosen)[] = [];
  readonly #thread: Thread;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  submit(asked: Story['operations'][number]): void {
    const { turns } = this;
    const thread = this.#thread;
    switch (asked.kind) {
      case 'run':
        this.all.push(this.#ran((turn) => thread.run(turn)));
        break;
      case 'runWith': {
        const { value, accepted } = asked.change;
        const turn = turns.length;
        // A turn that did not begin changes nothing, for the thread and for what was submitted behind it.
        if (accepted)
          this.#steps.push((chosen) => (turns[turn]!.neverBegan ? chosen : changed(chosen, value as SettingsChange)));
        const refused = { input: words('never said'), signal: new AbortController().signal };
        const result = accepted ? this.#ran((turn) => thread.runWith(value, turn)) : thread.runWith(value, refused);
        this.all.push(this.#answered(result, accepted));
        break;
      }
      case 'override': {
        const { value, accepted } = asked.change;
        if (accepted) this.#steps.push((chosen) => changed(chosen, value as SettingsChange));
        this.all.push(this.#answered(thread.overrideTurnContext(value), accepted));
        break;
      }
      case 'steer':
        this.all.push(thread.steer({ input: words('and this') }));
        break;
      case 'compact': {
        const result = thread.compact({ signal: new AbortController().signal });
        const compaction = { chosen: first, result };
        this.compactions.push(compaction);
        this.#steps.push((chosen) => (compaction.chosen = chosen));
        this.all.push(result);
        break;
      }
      case 'interrupt': {
        const turn = turns[asked.turn];
        if (turn === undefined || turn.interrupt.signal.aborted) break;
        turn.interrupt.abort();
      }
    }
  }

  /** When all is over: tells each turn and compaction its settings, and gives those that stay. */
  settle(): Chosen {
    return this.#steps.reduce((chosen, step) => step(chosen), first);
  }

  async #ran<Result extends { readonly kind: string }>(run: (turn: ThreadTurn) => Promise<Result>): Promise<Result> {
    const turn: SubmittedTurn = { chosen: first, interrupt: new AbortController(), neverBegan: false };
    this.turns.push(turn);
    this.#steps.push((chosen) => (turn.chosen = chosen));
    const result = await run({ input: words(`turn ${this.turns.length}`), signal: turn.interrupt.signal });
    turn.neverBegan = 'isWithdrawn' in result || isClosed(result);
    return result;
  }

  async #answered(result: Promise<{ readonly kind: string }>, accepted: boolean): Promise<void> {
    if (((await result).kind !== 'refused') !== accepted) throw new Error('a change was answered wrongly');
  }
}

/** Plays the story; gives back how many turns ran under settings that were not the thread's any more. */
async function play({ operations, answers, closesEarly }: Story): Promise<number> {
  let asked = 0;
  const model = await startScriptedModel(async (request) => {
    const { delay, calls } = answers[asked++ % answers.length]!;
    await ticks(delay);
    if (isCompaction(request)) return answer({ items: [say(checkpointText('turn 1', []))] });
    return answer({ items: [calls && asked % 2 === 0 ? callTool('exec_command', { cmd: 'ls' }) : say('Yes.')] });
  });
  const disk = new SimulatedDisk();
  const watched = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  try {
    const submitted = new Submitted(await watched.open());
    for (const each of operations) {
      submitted.submit(each);
      if (each.pause === 'idle') await Promise.all(submitted.all);
      else await ticks(each.pause);
    }
    if (closesEarly) await watched.close();
    await Promise.all(submitted.all);
    const last = submitted.settle();
    await watched.close();
    const lines = await watched.lines();
    const all = lines.flatMap(({ type, payload }, at) => (type === lineType.turnContext ? [{ payload, at }] : []));
    // A compaction in a turn of its own records its contract, and at once its checkpoint.
    const isCheckpoint = (at: number): boolean =>
      lines.slice(at + 1, at + 3).some(({ type }) => type === lineType.compacted);
    const contexts = all.filter(({ at }) => !isCheckpoint(at)).map(({ payload }) => payload);
    const ran = submitted.turns.filter(({ neverBegan }) => !neverBegan);
    expect(contexts.map(ofContext)).toEqual(ran.map(({ chosen }) => chosen));
    const said = lines
      .filter(({ type }) => type === lineType.responseItem)
      .map(({ payload }) => JSON.stringify(payload));
    for (const [at, { neverBegan }] of submitted.turns.entries()) {
      expect(said.some((text) => text.includes(`"turn ${at + 1}"`))).toBe(!neverBegan);
    }
    for (const { chosen, result } of submitted.compactions) {
      const made = await result;
      if (made.kind !== 'installed' || made.report.phase !== 'standalone_turn') continue;
      expect(made.report.model).toBe(chosen.model);
    }
    if (operations.every(({ kind }) => kind === 'steer' || kind === 'interrupt')) return 0;
    expect(ofSettings((await watched.open('thread')).settings)).toEqual(last);
    return contexts.filter(({ capstan }) => (capstan as JsonObject)['outdated'] === true).length;
  } finally {
    await watched.close();
    await model.close();
  }
}

function isClosed(result: object): boolean {
  return 'outcome' in result && (result.outcome as { readonly code: string }).code === 'thread-closed';
}

function ofContext(context: JsonObject): Chosen {
  const { model, approval, sandbox, cwd } = turnContextSummary(context);
  return { model, approval, sandbox, personality: context['personality'] ?? null, cwd } as Chosen;
}

function ofSettings({ model, approvals: approval, sandbox: profile, personality, cwd }: Settings): Chosen {
  return {
    model,
    approval: approvalName(approval),
    sandbox: profileSandboxLevel(profile),
    personality: personality ?? null,
    cwd,
  };
}

it('every turn runs under the settings it was submitted with, and the last accepted change is what resume restores', async () => {
  let outdated = 0;
  const runs = 40 * inject('runFactor');
  await fc.assert(
    fc.asyncProperty(story, async (given) => {
      outdated += await play(given);
    }),
    { numRuns: runs },
  );
  // The number depends on the machine; it is never near zero.
  expect(outdated).toBeGreaterThan(runs / 30);
}, 120_000);
