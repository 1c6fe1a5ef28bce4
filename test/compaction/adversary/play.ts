import { expect, inject, onTestFinished } from 'vitest';
import { words } from '../../../src/protocol/user-input.ts';
import {
  answer,
  callTool,
  type RecordedRequest,
  say,
  SimulatedDisk,
  startScriptedModel,
  type ScriptStep,
  type ScriptStepOf,
} from '../../../src/testing/index.ts';
import type { Thread } from '../../../src/engine/thread/thread.ts';
import { WatchedThread } from '../../harness/watched-thread.ts';
import { checkpointText, saysCheckpoint } from '../summariser.ts';
import { withCapabilities } from '../../harness/provider-in.ts';
import { impatient } from './impatient-client.ts';
import { isAnyCompaction } from './is-any-compaction.ts';
import { checkThread } from './laws.ts';
import { type Told, toldIn } from './told.ts';
import { notes, stepsOf, type Transcript } from './transcripts.ts';

/** The answers of a model to the requests of a compaction, one after the other; the last is repeated for ever. */
export type Doing = (about: Transcript) => readonly (ScriptStep | ScriptStepOf)[];

/** `manual`: a caller asks for it between two turns. `mid-turn`: a turn under way has filled the thread. */
export const triggers = ['manual', 'mid-turn'] as const;
export type Trigger = (typeof triggers)[number];

/** Each row with one of the triggers, by turns: for rows that come to the same with both. */
export function byTurns<Row>(rows: readonly Row[]): readonly (Row & { readonly trigger: Trigger })[] {
  return rows.map((row, index) => ({ ...row, trigger: triggers[index % 2]! }));
}

/** Each row with both triggers, for rows that do not come to the same; the fast tests take them by turns too. */
export function withTriggers<Row>(rows: readonly Row[]): readonly (Row & { readonly trigger: Trigger })[] {
  if (inject('runFactor') === 1) return byTurns(rows);
  return rows.flatMap((row) => triggers.map((trigger) => ({ ...row, trigger })));
}

/** Rows of one class that lead to different results; the deep tests show all. */
export function oneOfEach<Row extends { readonly told: unknown; readonly never?: readonly string[] }>(
  rows: readonly Row[],
): readonly Row[] {
  if (inject('runFactor') > 1) return rows;
  const outcomes = rows.map(({ told, never }) => JSON.stringify([told, never]));
  return rows.filter((_, index) => outcomes.indexOf(outcomes[index]!) === index);
}

export interface Play {
  readonly transcript: Transcript;
  readonly does: Doing;
  readonly trigger: Trigger;
  /** The text that stands as the request afterwards, if it is not the task of the transcript. */
  readonly request?: string;
  readonly strategy?: 'structured' | 'plain' | 'remote';
  readonly remoteForm?: 'unary' | 'stream';
  /**
   * The time to wait for an answer to a request of a compaction; `never`: the caller that asked for it by hand stops it
   * at once; `until the deadline`: the time for such an answer is over as soon as the provider has the request.
   */
  readonly waits?: 'a moment' | 'never' | 'until the deadline';
}

export interface Played {
  readonly told: readonly Told[];
  /** Requests for a checkpoint that the provider got. */
  readonly asked: readonly RecordedRequest[];
  /** The first sampling request after the compaction. */
  readonly next: RecordedRequest;
}

/** In tokens: what the provider takes, and what makes a thread full. A full one still fits a request for a checkpoint. */
const mostTokens = 40_000;
const window = { effectiveTokens: mostTokens, autoCompactTokens: 12_000 };

const goOn = 'Go on, please.';
const later = 'What is left to do?';

/** Plays a thread to its end, through a compaction, and holds against it what must hold whatever the model does. */
export async function play(given: Play): Promise<Played> {
  const { transcript, trigger, does } = given;
  const queue: ScriptStep[] = [];
  const asked: RecordedRequest[] = [];
  const stop = new AbortController();
  const deadlines: (() => void)[] = [];
  let doing: readonly (ScriptStep | ScriptStepOf)[] = [obeys(transcript)];
  const model = await startScriptedModel(
    (request) => {
      if (!isAnyCompaction(request)) return queue.shift() ?? answer({ items: [say('Done for now.')] });
      asked.push(request);
      if (given.waits === 'never') stop.abort();
      if (given.waits === 'until the deadline') setImmediate(() => deadlines.splice(0).forEach((pass) => pass()));
      const step = doing[Math.min(asked.length, doing.length) - 1]!;
      return typeof step === 'function' ? step(request) : step;
    },
    { window: { tokens: mostTokens, count: tokensOf } },
  );
  const disk = new SimulatedDisk();
  const watched = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  watched.settings = { window, compaction: given.strategy ?? 'structured' };
  watched.adapt = (parts) => ({
    ...parts,
    clock: {
      ...parts.clock,
      sleep: (milliseconds, signal) =>
        milliseconds === parts.compactionLimits.timeoutMs
          ? new Promise((resolve) => {
              deadlines.push(resolve);
              signal?.addEventListener('abort', () => resolve(), { once: true });
            })
          : parts.clock.sleep(milliseconds, signal),
    },
    provider: {
      ...withCapabilities(parts.provider, { remoteCompaction: given.remoteForm ?? 'none' }),
      ...(given.waits === 'a moment' ? { client: impatient(parts.provider.client, model.url) } : {}),
    },
  });
  const ran: string[] = [];
  watched.onCommand = () => void ran.push('');
  onTestFinished(async () => {
    await watched.close();
    await model.close();
  });

  const thread = await watched.open();
  const turn = async (text: string, on: Thread = thread): Promise<void> => {
    const { kind } = await on.run({ input: words(text), signal: new AbortController().signal });
    expect([text, kind]).toEqual([text, 'completed']);
  };
  for (const [place, round] of transcript.rounds.entries()) {
    if (round === 'checkpoint') await thread.compact({ signal: new AbortController().signal });
    else {
      queue.push(...stepsOf(round, place));
      await turn(round.says);
    }
  }
  const checkpoints = toldIn(watched.events);
  expect(checkpoints).toHaveLength(transcript.rounds.filter((round) => round === 'checkpoint').length);
  const played = { requests: model.requests.length, events: watched.events.length, commands: ran.length };
  asked.length = 0;
  doing = does(transcript);

  if (trigger === 'manual') await thread.compact({ signal: stop.signal });
  else queue.push(fills(model.requests.at(-1)!));
  await turn(goOn);
  await turn(later);
  const told = toldIn(watched.events.slice(played.events));
  // Another process goes on.
  await watched.close();
  await turn('Thank you.', await watched.open());

  const sampled = model.requests.slice(played.requests).filter((request) => !isAnyCompaction(request));
  const next = sampled[trigger === 'manual' ? 0 : 1]!;
  expect(ran).toHaveLength(played.commands + (trigger === 'manual' ? 0 : 1));
  await checkThread({
    transcript,
    request: given.request ?? transcript.task,
    told,
    next,
    later: sampled,
    model,
    watched,
  });
  return { told, asked, next };
}

/** A model that does as it is told. */
function obeys({ task }: Transcript): ScriptStep {
  return saysCheckpoint(checkpointText(task, [task]));
}

/** An answer after which the thread is full, and which has to be followed by another. */
function fills(last: RecordedRequest): ScriptStep {
  const missing = window.autoCompactTokens - tokensOf(last);
  const items = [say(`Found: ${notes(99, 4 * missing)}`), callTool('exec_command', { cmd: 'look again' })];
  return answer({ items, usage: { output: missing } });
}

function tokensOf({ decodedBytes }: RecordedRequest): number {
  return Math.ceil(decodedBytes.length / 4);
}
