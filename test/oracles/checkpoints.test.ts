import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Ordinal, ThreadId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, callTool, say, type ScriptStepOf } from '../../src/testing/index.ts';
import { summariseTurns } from '../../src/core/state/turns/turn-list.ts';
import { createHomeStore } from '../../src/engine/store/home-store.ts';
import type { Place } from '../harness/run-capstan.ts';
import { checkTurns } from '../laws/turns-law.ts';
import { runCodex } from './codex.ts';
import { CodexThread } from './codex-thread.ts';
import { codexInput, inputOf, textsOf, withoutNullContent } from './items.ts';
import { runCapstan, scene, type Scene } from './scene.ts';

const compactPrompt = 'Sum it up.';
/** More than Codex has to say in a new thread. */
const limit = 50_000;

/**
 * Says what it was asked. Words with `look` make it call a tool first, and after words with `full` its window is full:
 * Codex makes a checkpoint then, before it goes on.
 */
const echo: ScriptStepOf = ({ body, index }) => {
  const input = body['input'] as unknown as readonly JsonObject[];
  const last = textsOf(input.slice(-1))[0] ?? '';
  const asked = textsOf(input.filter(({ role }) => role === 'user')).at(-1) ?? '';
  if (last === compactPrompt) return answer({ items: [say(`In short, as request ${index} said.`)] });
  const usage = asked.includes('full') ? { usage: { input: limit * 2, total: limit * 2 + 10 } } : {};
  if (asked.includes('look') && last === asked) {
    return answer({ items: [callTool('exec_command', { cmd: `echo ${index}` })], ...usage });
  }
  return answer({ items: [say(`You said ${last}.`)], ...(last === asked ? usage : {}) });
};

type Step = (thread: CodexThread) => Promise<void>;
const words =
  (text: string): Step =>
  (thread) =>
    thread.say(text);
const compact: Step = (thread) => thread.compact();
const takeBack =
  (count: number): Step =>
  (thread) =>
    thread.takeBack(count);

interface Story {
  readonly steps: readonly Step[];
  /** Words of users, as the next request has them. */
  readonly said: readonly string[];
  /**
   * The rollback takes back the checkpoint. In a legacy thread Codex still cuts what the checkpoint made: of the turns
   * that stay it keeps the users' words, or the summary, and not the rest.
   */
  readonly lossy?: true;
}

const stories: Readonly<Record<string, Story>> = {
  'a checkpoint that was asked for': {
    steps: [words('one look'), compact, words('two')],
    said: ['one look', 'two', 'go on'],
  },
  'a checkpoint as the last thing': {
    steps: [words('one'), words('two look'), compact],
    said: ['one', 'two look', 'go on'],
  },
  'two checkpoints': {
    steps: [words('one'), compact, words('two look'), compact, words('three')],
    said: ['one', 'two look', 'three', 'go on'],
  },
  'a checkpoint between two turns': {
    steps: [words('one full'), words('two'), words('three')],
    said: ['one full', 'two', 'three', 'go on'],
  },
  'a checkpoint in the middle of a turn': {
    steps: [words('one'), words('two look full'), words('three')],
    said: ['one', 'two look full', 'three', 'go on'],
  },
  'a rollback after the checkpoint': {
    steps: [words('one'), compact, words('two'), words('three look'), takeBack(1)],
    said: ['one', 'two', 'go on'],
  },
  'a rollback after the checkpoint, and turns since': {
    steps: [words('one'), compact, words('two'), words('three look'), takeBack(1), words('four')],
    said: ['one', 'two', 'four', 'go on'],
  },
  'a rollback before the checkpoint': {
    steps: [words('one'), words('two look'), takeBack(1), words('three'), compact, words('four')],
    said: ['one', 'three', 'four', 'go on'],
  },
  'a rollback to the checkpoint': {
    steps: [words('one'), compact, words('two look'), takeBack(1)],
    said: ['one', 'go on'],
  },
  'a rollback past the checkpoint': {
    steps: [words('one look'), words('two'), compact, words('three'), takeBack(2)],
    said: ['one look', 'go on'],
    lossy: true,
  },
  'a rollback past the second of two checkpoints': {
    steps: [words('one'), compact, words('two look'), words('three'), compact, words('four'), takeBack(2)],
    said: ['one', 'two look', 'go on'],
    lossy: true,
  },
  'a rollback past a checkpoint, and one more since': {
    steps: [
      words('one look'),
      words('two'),
      compact,
      words('three'),
      takeBack(2),
      words('four'),
      compact,
      words('five'),
    ],
    said: ['one look', 'four', 'five', 'go on'],
  },
  'a rollback of a turn that a checkpoint began': {
    steps: [words('one full'), words('two'), takeBack(1)],
    said: ['one full', 'go on'],
    lossy: true,
  },
  'a rollback of a turn with a checkpoint in its middle': {
    steps: [words('one look'), words('two look full'), takeBack(1)],
    said: ['one look', 'go on'],
    lossy: true,
  },
  'a rollback of everything': {
    steps: [words('one'), compact, words('two'), takeBack(2)],
    said: ['go on'],
    lossy: true,
  },
  'two rollbacks': {
    steps: [
      words('one'),
      words('two'),
      compact,
      words('three look'),
      takeBack(1),
      words('four'),
      takeBack(2),
      words('five'),
    ],
    said: ['one', 'five', 'go on'],
    lossy: true,
  },
};

/** The files of all threads as they are, to be put back. */
function keep(place: Place): () => void {
  const files = new Map(place.rollouts().map((path) => [path, readFileSync(path)]));
  return () => {
    for (const path of place.rollouts()) if (!files.has(path)) rmSync(path);
    for (const [path, bytes] of files) writeFileSync(path, bytes);
  };
}

/** The request that the program sends when it resumes. */
async function resumed(
  { model, place }: Scene,
  id: string,
  program: 'codex' | 'capstan',
): Promise<readonly JsonObject[]> {
  const run = await (program === 'codex' ? runCodex : runCapstan)(place, 'resume', id, 'go on');
  expect(run.code, run.stderr).toBe(0);
  const last = model.requests.length - 1;
  const input = program === 'codex' ? codexInput(model, last).history : inputOf(model, last);
  return input.map(withoutNullContent);
}

/** Up to the last item that stood in the files before. What follows is what the program tells, each in its words. */
function historyIn(items: readonly JsonObject[], lines: readonly Line[]): readonly JsonObject[] {
  const ids = new Set(lines.flatMap((line) => [...itemsOf(line)].map(({ id }) => id)));
  return items.slice(0, items.findLastIndex(({ id }) => ids.has(id)) + 1);
}

function itemsOf({ type, payload }: Line): readonly JsonObject[] {
  if (type === 'compacted') return payload['replacement_history'] as unknown as readonly JsonObject[];
  return type === 'response_item' ? [payload] : [];
}

/** Items before a turn, and those since the newest rollback: a rollback to that turn should leave them. */
function withoutLoss(lines: readonly Line[], turn: string | undefined): readonly JsonObject[] {
  const start = lines.findIndex(({ payload }) => payload['type'] === 'task_started' && payload['turn_id'] === turn);
  const rollback = lines.findLastIndex(({ payload }) => payload['type'] === 'thread_rolled_back');
  const before = lines.slice(0, start);
  const base = Math.max(
    0,
    before.findLastIndex(({ type }) => type === 'compacted'),
  );
  return [...before.slice(base), ...lines.slice(rollback)].flatMap(itemsOf).map(withoutNullContent);
}

/** The lines of a thread, whatever files it is in. */
function linesIn({ home }: Place, id: string): AsyncGenerator<Line> {
  const { store } = createHomeStore(home, { maxBlobBytes: 0, env: {}, osHome: home });
  return store.read(id as ThreadId, { from: 0 as Ordinal });
}

const isSaid = (text: string): boolean => /^(one|two|three|four|five|go)\b/.test(text);

describe.each(['legacy', 'paginated'] as const)('a %s thread of Codex goes on in Capstan as in Codex, with', (mode) => {
  it.each(Object.entries(stories))('%s', async (_name, { steps, said, lossy }) => {
    const set = await scene(echo);
    const { place } = set;
    const config = { compact_prompt: compactPrompt, model_auto_compact_token_limit: limit };
    const thread = await CodexThread.start(place, mode, config);
    for (const step of steps) await step(thread);
    const turnIds = await thread.turnIds();
    await thread.close();
    const lines = place.lines();
    await checkTurns(await Array.fromAsync(linesIn(place, thread.id)));
    const listed = (await summariseTurns(linesIn(place, thread.id))).map((turn) => turn.id);
    // A marker takes back turns with words in them. Codex's own list of a legacy thread counts the others, too.
    expect(listed).toEqual(mode === 'paginated' ? turnIds : listed);
    const putBack = keep(place);
    const ours = await resumed(set, thread.id, 'capstan');
    putBack();
    const theirs = await resumed(set, thread.id, 'codex');
    expect([ours, theirs].map((items) => textsOf(items).filter(isSaid))).toEqual([said, said]);
    const isLost = lossy === true && mode === 'legacy';
    const [our, their] = [historyIn(ours, lines), historyIn(theirs, lines)];
    expect(our).toEqual(isLost ? withoutLoss(lines, thread.takenBackTo) : their);
    // Should Codex mend that, this says so.
    expect(isDeepStrictEqual(our, their)).toBe(!isLost);
  });
});
