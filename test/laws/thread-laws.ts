import fc from 'fast-check';
import { expect } from 'vitest';
import { responsesEncoder } from '../../src/model/responses/encode.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { rebuildRequests } from '../../src/replay/rebuild.ts';
import { describeState } from '../../src/state/describe.ts';
import { reduce } from '../../src/state/reduce.ts';
import { emptyState } from '../../src/state/thread-state.ts';
import {
  answer,
  callTool,
  cutAfter,
  failed,
  hang,
  httpError,
  type ItemDraft,
  malformed,
  reason,
  say,
  type ScriptedModel,
  startScriptedModel,
  type Step,
} from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { words } from '../../src/protocol/user-input.ts';
import { firstWorld, type World } from '../harness/fixed-parts.ts';
import { type Disk, WatchedThread } from '../harness/watched-thread.ts';

/** What happens to one request of the model. */
type ModelStep = {
  readonly items: readonly ItemDraft[];
  readonly fault: 'none' | 'cut' | 'failed' | 'malformed' | 'status' | 'interrupt';
};

/** One turn of a random thread, and the accident that may befall it. */
export interface RandomTurn {
  readonly words: string;
  readonly world: Partial<World>;
  readonly steps: readonly ModelStep[];
  readonly accident: 'none' | 'crash-at-sync' | 'kill-at-command';
  readonly at: number;
  /** How much of what was not synced survives, in percent. */
  readonly luck: number;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom('</environment_context>', '\u2028', '\ud800', '"],"client_metadata":{'),
);

const item: fc.Arbitrary<ItemDraft> = fc.oneof(
  text.map(say),
  text.map(reason),
  text.map((command) => callTool('exec_command', { cmd: `echo ${command}` })),
  fc.constantFrom(callTool('exec_command', '{"cmd": broken'), callTool('no_such_tool', {})),
  fc
    .dictionary(fc.constantFrom('2', '1', 'é', 'status'), fc.jsonValue())
    .map((odd) => ({ ...(odd as JsonObject), type: 'web_search_call' })),
);

const modelStep: fc.Arbitrary<ModelStep> = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  fault: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    { weight: 3, arbitrary: fc.constantFrom('cut', 'failed', 'malformed', 'status', 'interrupt') },
  ),
});

const world: fc.Arbitrary<Partial<World>> = fc.record(
  {
    model: fc.constantFrom('gpt-5.5', 'other'),
    effort: fc.constantFrom('low', 'high'),
    cwd: fc.constantFrom('/repo', '/repo/<b>', '/x'),
    mode: fc.constantFrom('read-only', 'workspace-write', 'danger-full-access'),
    date: fc.constantFrom('2026-11-15', '2026-11-16'),
    instructions: fc.constantFrom('Be kind.', 'Be brief.', undefined),
  },
  { requiredKeys: [] },
);

export const randomTurns: fc.Arbitrary<readonly RandomTurn[]> = fc.array(
  fc.record({
    words: text,
    world,
    steps: fc.array(modelStep, { maxLength: 4 }),
    accident: fc.oneof(
      { weight: 3, arbitrary: fc.constant('none' as const) },
      { weight: 2, arbitrary: fc.constantFrom('crash-at-sync', 'kill-at-command') },
    ),
    at: fc.nat(6),
    luck: fc.nat(100),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Plays the turns and holds the three laws against what happened. */
export async function playAndCheck(turns: readonly RandomTurn[]): Promise<void> {
  const queue: ModelStep[] = [];
  let interrupt = new AbortController();
  const model = await startScriptedModel(() => stepFor(queue.shift(), () => interrupt.abort()));
  let disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, placed(disk));
  try {
    for (const turn of turns) {
      queue.splice(0, queue.length, ...turn.steps);
      interrupt = new AbortController();
      thread.world = { ...firstWorld, ...turn.world };
      disk = await playTurn(thread, disk, turn, interrupt.signal);
      checkRefold(thread, await thread.lines());
      if (turn.accident === 'none') await thread.close();
    }
    // Durable before visible: no tool has an effect before its call is on the disk.
    expect(thread.early).toEqual([]);
    await checkRebuilt(model, await thread.lines());
    checkPrefixes(model);
  } finally {
    await model.close();
  }
}

/** Runs the turn; after an accident the disk that the next process finds is in place. */
async function playTurn(
  thread: WatchedThread,
  disk: SimulatedDisk,
  turn: RandomTurn,
  signal: AbortSignal,
): Promise<SimulatedDisk> {
  let survivor: SimulatedDisk | undefined;
  const crash = (): void => {
    survivor ??= disk.crash(({ most }) => Math.round((most * turn.luck) / 100));
  };
  let syncs = 0;
  if (turn.accident === 'crash-at-sync') {
    disk.slow = async () => {
      if (syncs++ === turn.at) crash();
    };
  }
  let commands = 0;
  thread.onCommand = () => {
    if (turn.accident === 'kill-at-command' && commands++ === turn.at % 2) survivor ??= disk.kill();
  };
  const before = thread.acknowledged.length;
  const end = await (async () => (await thread.open()).run({ input: words(turn.words), signal }))().catch(
    (fault: unknown) => fault,
  );
  if (survivor === undefined) {
    expect(end).toMatchObject({ kind: expect.stringMatching(/completed|failed|aborted/) });
    expect(thread.acknowledged.length).toBeGreaterThan(before);
    disk.slow = undefined;
    if (turn.accident !== 'none') await thread.close();
    return disk;
  }
  expect(end).toMatchObject({ name: 'Fault' });
  thread.replaceDisk(placed(survivor));
  return survivor;
}

/** Law: the state after a refold is the state that the live process had acknowledged. */
function checkRefold(thread: Pick<WatchedThread, 'acknowledged'>, lines: readonly Line[]): void {
  let state = emptyState;
  const folded = [describeState(state), ...lines.map((line) => describeState((state = reduce(state, line))))];
  for (const { lines: count, state: promised } of thread.acknowledged) expect(folded[count]).toBe(promised);
}

/** Law: every request that was posted is rebuilt byte for byte from the file alone. */
export async function checkRebuilt(model: ScriptedModel, lines: readonly Line[]): Promise<void> {
  // The file alone: what the lines say, not the objects they were made from.
  const stored = lines.map((line) => JSON.parse(JSON.stringify(line)) as Line);
  const rebuilt: string[] = [];
  for await (const { body } of rebuildRequests(stored, () => responsesEncoder()))
    rebuilt.push(Buffer.concat(body).toString('utf8'));
  let at = 0;
  for (const posted of bodies(model)) {
    const found = rebuilt.indexOf(posted, at);
    expect(found, `a request that the file does not give back:\n${posted}`).toBeGreaterThanOrEqual(0);
    at = found;
  }
}

/** Law: the encoded input of a request extends that of the request before it. */
export function checkPrefixes(model: ScriptedModel): void {
  let before = '[';
  for (const posted of bodies(model)) {
    const input = JSON.stringify((JSON.parse(posted) as JsonObject)['input']);
    expect(posted).toContain(`"input":${input},"client_metadata":`);
    expect(input.startsWith(before)).toBe(true);
    before = input.slice(0, -1);
  }
}

function bodies(model: ScriptedModel): readonly string[] {
  return model.requests.map(({ bytes }) => bytes.toString('utf8'));
}

function placed(disk: SimulatedDisk): Disk {
  return { home: '/home', files: disk, locks: disk.locks };
}

function stepFor(step: ModelStep | undefined, interrupt: () => void): Step {
  if (step === undefined) return answer({ items: [say('Done.')] });
  const plain = answer({ items: step.items });
  switch (step.fault) {
    case 'none':
      return plain;
    case 'cut':
      return cutAfter({ bytes: 400, of: plain });
    case 'failed':
      return failed({ code: 'server_error', message: 'It broke.', items: step.items });
    case 'malformed':
      return malformed({ of: plain });
    case 'status':
      return httpError({ status: 400, body: { error: { message: 'no' } } });
    case 'interrupt':
      setTimeout(interrupt, 1);
      return hang({ afterBytes: 300, of: plain });
  }
}
