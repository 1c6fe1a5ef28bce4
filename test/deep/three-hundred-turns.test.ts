import { expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import { countedTokens } from '../harness/counted-tokens.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { textsOf } from '../harness/scene.ts';
import { checkPrefixes } from '../laws/prefix-law.ts';
import { requirements, type StoryStep, storyTurn, writeFiles } from '../compaction/long-story.ts';
import { checkpointText, isCompaction, saysCheckpoint } from '../compaction/summariser.ts';

/** Three hundred in the deep tests. */
const turns = 100 * Math.min(inject('runFactor'), 3);
const window = 32_000;
const note = 'The harbour master decides; ask nobody else.';
/** Turns that another process runs. */
const elsewhere = [turns / 4, turns / 2];
const pinnedIn = turns / 5;

/** The story, and what must be in every prompt of it. */
class Story {
  readonly problems: string[] = [];
  /** From the turn on in which it was pinned. */
  pinned: readonly string[] = [];
  readonly #words: string[] = [];
  #steps: StoryStep[] = [];
  #plan: readonly string[] = [];
  readonly #files: string[] = [];

  begin(number: number): string {
    const { words, steps } = storyTurn(number);
    this.#words.push(words);
    this.#steps = [...steps];
    return words;
  }

  answer(request: RecordedRequest): ScriptStep {
    // It remembers the newest words alone.
    if (isCompaction(request)) return saysCheckpoint(checkpointText(this.#words.at(-1)!, []));
    this.#look(request);
    const step = this.#steps.shift();
    if (step === undefined) return answer({ items: [say('There is nothing left to do.')] });
    this.#plan = step.plan ?? this.#plan;
    if (step.file !== undefined) this.#files.push(step.file);
    return step.answer;
  }

  #look({ index, body }: RecordedRequest): void {
    const text = textsAndCalls(body['input'] as unknown as readonly JsonObject[]);
    const must = [requirements, this.#words.at(-1)!, ...this.pinned, ...this.#plan, ...this.#files];
    for (const part of must) if (!text.includes(part)) this.problems.push(`${index} lacks ${part.slice(0, 60)}`);
    const places = [...text.matchAll(/\[#(\d+)\] /g)];
    const numbers = places.map(([, number]) => Number(number));
    if (new Set(numbers).size < numbers.length) this.problems.push(`${index} holds words twice: ${numbers.join()}`);
    for (const [place, number] of numbers.entries()) {
      const said = this.#words[number - 1]!;
      // Only long words may be cut.
      const isWhole = text.startsWith(said, places[place]!.index);
      if (!isWhole && said.length < 2000) this.problems.push(`${index} has other words than ${said.slice(0, 60)}`);
    }
  }
}

function textsAndCalls(items: readonly JsonObject[]): string {
  return [...textsOf(items), ...items.map(({ arguments: given, input }) => given ?? input ?? '')].join('\n');
}

it(`${turns} turns in a small window, with a model that remembers the newest words alone`, async () => {
  const story = new Story();
  const live = await LiveThread.in((request) => story.answer(request), `model_context_window = ${window}`, {
    window: { tokens: window, count: countedTokens },
  });
  writeFiles(live.place.workspace);
  // It is not about the sandbox, and commands start sooner without.
  await live.open({ config: ['sandbox_mode=danger-full-access'] });
  for (let number = 1; number <= turns; number++) {
    if (number === pinnedIn) await pin(live, story);
    const words = story.begin(number);
    await (elsewhere.includes(number) ? turnElsewhere(live, words) : turnHere(live, words));
  }
  await live.close();

  expect(story.problems).toEqual([]);
  expect(live.model.largest!.tokens).toBeLessThanOrEqual(window);
  const lines = live.place.lines();
  const checkpoints = lines.filter(({ type }) => type === 'compacted');
  expect(checkpoints.length).toBeGreaterThanOrEqual(turns / 30);
  // Nothing but a checkpoint makes a provider read again what it has read, not even another process.
  expect(breaksIn(lines)).toEqual(checkpoints.map(() => 'checkpoint'));
  const { stdout } = await live.place.run('replay', idOf(live), '--json');
  expect((JSON.parse(stdout) as JsonObject)['counts']).toEqual({
    same: live.model.requests.length,
    different: 0,
    other_encoder: 0,
    tools_missing: 0,
    not_recorded: 0,
    inferred: 0,
  });
  await checkPrefixes(live.model, lines);
}, 600_000);

function idOf({ place }: LiveThread): string {
  return String(place.lines()[0]!.payload['id']);
}

async function turnHere(live: LiveThread, words: string): Promise<void> {
  expect(await live.turn(words)).toMatchObject({ kind: 'completed' });
}

async function turnElsewhere(live: LiveThread, words: string): Promise<void> {
  await live.close();
  expect(await live.place.run('exec', '--json', 'resume', idOf(live), words)).toMatchObject({ code: 0 });
}

async function pin(live: LiveThread, story: Story): Promise<void> {
  await live.close();
  expect(await live.place.run('threads', 'pin', idOf(live), note)).toMatchObject({ code: 0 });
  story.pinned = [note];
}

function breaksIn(lines: readonly Line[]): readonly unknown[] {
  const records = lines.filter(({ type, payload }) => type === 'capstan_request' && payload['auxiliary'] === undefined);
  return records
    .flatMap(
      ({ payload }) => ((payload['prefix'] as JsonObject | undefined)?.['breaks'] ?? []) as readonly JsonObject[],
    )
    .map(({ kind }) => kind);
}
