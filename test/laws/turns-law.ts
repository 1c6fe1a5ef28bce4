import { expect } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import { rebuildRequests } from '../../src/core/replay/rebuild-requests.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { messageWordsOf } from '../../src/core/state/turns/turn-words.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { readTurnItems } from '../../src/core/state/turns/turn-items.ts';
import { summariseTurns, turnPlaces } from '../../src/core/state/turns/turn-list.ts';
import {
  concernsTurns,
  foldTurn,
  noTurns,
  noTurnsWithInherited,
  remainingTurns,
  type TurnLog,
} from '../../src/core/state/turns/turn-log.ts';
import { readThreadStory } from '../../src/surfaces/views/context/thread-story.ts';

/**
 * Law: lists, places, items, the story and the state agree on which turns there are, what they are called, which of them
 * were taken back, and where they stand. Gives the turns that began, so that an empty run is noticed.
 */
export async function checkTurns(lines: readonly Line[]): Promise<number> {
  const log = fold(noTurnsWithInherited, lines);
  const ids = remainingTurns(log).map(({ id }) => id);

  const { turns: told } = readTurnItems(lines);
  const standing = told.filter(({ id, isTakenBack }) => id !== undefined && !isTakenBack);
  expect(standing.map(({ id, number, status }) => ({ id, number, status }))).toEqual(
    remainingTurns(log).map(({ id, number, status }) => ({ id, number, status })),
  );
  const { turns: story, requests } = readThreadStory(lines);
  // Items of a thread without turns stand in one that has no name.
  const all = (turns: readonly (typeof story | typeof told)[number][]) =>
    turns.flatMap(({ number, id }) => (id === undefined ? [] : [{ number, id }]));
  expect(all(story)).toEqual(all(told));
  expect(all(told).map(({ number }) => number)).toEqual(Array.from({ length: log.began }, (_, at) => at + 1));
  for (const turns of [story, told]) expect(turns.length).toBeLessThanOrEqual(Math.max(1, log.began));

  const replayed: number[] = [];
  for await (const { turn } of rebuildRequests(lines, () => undefined)) replayed.push(turn);
  expect(requests.map(({ turn }) => turn)).toEqual(replayed.map((turn) => Math.max(1, turn)));

  const places = await turnPlaces(each(lines));
  expect((await summariseTurns(each(lines))).map(({ id }) => id)).toEqual(ids);
  expect(places.turns.map(({ id }) => id)).toEqual(ids);
  checkPlaces(places.turns, lines);
  checkState(log, lines);
  checkContinued(log, lines);
  return log.began;
}

/** Turns stand one after the other, and each begins with a line that can begin one. */
function checkPlaces(
  turns: readonly { readonly start: number; readonly end?: number }[],
  lines: readonly Line[],
): void {
  for (const [at, { start, end }] of turns.entries()) {
    const next = turns[at + 1]?.start ?? Infinity;
    expect(start).toBeLessThan(next);
    if (end !== undefined) expect([start < end, end <= next]).toEqual([true, true]);
    const first = lines.find((line, index) => (line.ordinal ?? index) === start && index > 0);
    expect(['task_started', 'turn_started', 'user_message', 'message', 'agent_message']).toContain(
      first?.payload['type'],
    );
  }
}

/** `reduce` has the same turn open, and a rollback can go to before each turn that counts. */
function checkState(log: TurnLog, lines: readonly Line[]): void {
  const { openTurn, marks } = lines.reduce(reduce, emptyThreadState);
  expect(openTurn?.id).toBe(log.open);
  const counted = remainingTurns(log).filter(({ counts }) => counts);
  expect(marks.length).toBe(counted.length);
  if (openTurn !== undefined) expect(openTurn.before === undefined).toBe(remainingTurns(log).at(-1)?.counts);
}

/** A log is plain JSON from which a reader can continue, and lines that do not concern turns are not needed where they are numbered. */
function checkContinued(log: TurnLog, lines: readonly Line[]): void {
  const half = Math.floor(lines.length / 2);
  const stored = JSON.parse(JSON.stringify(fold(noTurnsWithInherited, lines.slice(0, half)))) as TurnLog;
  expect(fold(stored, lines.slice(half))).toEqual(log);
  if (lines.some(({ ordinal }) => ordinal === undefined)) return;
  const wanted = lines.filter(({ type, payload }) => concernsTurns({ type, payloadType: payload['type'] as string }));
  expect(remainingTurns(fold(noTurnsWithInherited, wanted))).toEqual(remainingTurns(log));
  expect(fold(noTurns, wanted)).toMatchObject({ began: fold(noTurns, lines).began });
}

function fold(log: TurnLog, lines: readonly Line[]): TurnLog {
  return lines.reduce((before, line) => foldTurn(before, line, messageWordsOf(line)), log);
}

async function* each(lines: readonly Line[]): AsyncGenerator<Line> {
  yield* lines;
}
