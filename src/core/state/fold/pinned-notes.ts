import { groupDigits, type Outcome } from '../../../protocol/outcome.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { type Json, type JsonObject, loneSurrogateWords, objectsAt, stringAt } from '../../../protocol/json.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';

/** A note that the user pinned to the thread. Code sends it again after every checkpoint. */
export type Pin = { readonly id: string; readonly text: string };
/** The seal proves that this home wrote the line. */
export type RecordedPin = Pin & { readonly seal?: string };
export const pinAddedLine = ({ id, text }: Pin): LineDraft => pinLine({ id, text });
export const pinRemovedLine = (id: string): LineDraft => pinLine({ id, removed: true });
/** Ends a note that no seal proves. Its text stays readable as a claim of the file. */
export const pinSetAsideLine = (id: string): LineDraft => pinLine({ id, removed: true, because: 'unproven' });
const pinLine = (payload: JsonObject): LineDraft => ({ type: lineType.pin, payload });
export const pinSealContent = ({ id, text }: Pin): Json => [lineType.pin, id, text];

export function readPin(payload: JsonObject): RecordedPin | undefined {
  const [id, text, seal] = [stringAt(payload, 'id'), stringAt(payload, 'text'), stringAt(payload, 'seal')];
  if (id === undefined || text === undefined || payload['removed'] === true) return undefined;
  return { id, text, ...(seal === undefined || seal === '' ? {} : { seal }) };
}

/** Folds a `capstan_pin` line. An invalid one, or one beyond the limits, changes nothing. */
export function foldPin(pins: readonly RecordedPin[], payload: JsonObject): readonly RecordedPin[] {
  const id = stringAt(payload, 'id');
  if (id === undefined) return pins;
  const others = pins.filter((pin) => pin.id !== id);
  if (payload['removed'] === true) return others;
  const added = readPin(payload);
  if (added === undefined) return pins;
  const tokens = estimateTokens(added.text);
  if (others.length >= pinLimits.pins || tokens > pinLimits.tokensEach) return pins;
  if (tokensOf(others) + tokens > pinLimits.tokensInAll) return pins;
  const at = pins.findIndex((pin) => pin.id === id);
  return pins.toSpliced(at < 0 ? pins.length : at, 1, added);
}

/** Lines that turn notes `pins` into `wanted`, in that order. Repeated notes keep their seal. */
export function pinChangeLines(pins: readonly Pin[], wanted: readonly RecordedPin[]): readonly LineDraft[] {
  let kept = 0;
  const removed: LineDraft[] = [];
  for (const { id, text } of pins) {
    const next = wanted[kept];
    if (next?.id === id && next.text === text) kept += 1;
    else removed.push(pinRemovedLine(id));
  }
  return [...removed, ...wanted.slice(kept).map(pinSaidAgain)];
}

/** Repeats a note with its seal or an empty one. That proves nothing: a forged line must not become this home's. */
const pinSaidAgain = ({ id, text, seal = '' }: RecordedPin): LineDraft => pinLine({ id, text, seal });

/** Reads the notes of a checkpoint, or of a rollback line, which has those of the rollout that it left. */
export const pinsFromJson = (carried: JsonObject): readonly RecordedPin[] =>
  objectsAt(carried, 'pins').reduce(foldPin, [] as readonly RecordedPin[]);

/** Limits in tokens: pins are sent again and again. */
const pinLimits = { pins: 20, tokensEach: 2000, tokensInAll: 4000 } as const;

export function pinProblem(id: ThreadId, pins: readonly Pin[], text: string): Outcome | undefined {
  const { pins: most, tokensEach, tokensInAll } = pinLimits;
  const tokens = estimateTokens(text);
  if (!text.isWellFormed())
    return tooMuch(`The note contains ${loneSurrogateWords}.`, 'Remove it and pin the note again.');
  if (text.trim() === '') return tooMuch('The note is empty.', 'Give the text to pin.');
  if (tokens > tokensEach) {
    const next = 'Pin only what must never be lost. Save the rest in a file and name the file in the note.';
    return tooMuch(`The note has about ${groupDigits(tokens)} tokens; the limit is ${groupDigits(tokensEach)}.`, next);
  }
  if (pins.length >= most) return tooMuch(`The thread has ${pins.length} notes; the limit is ${most}.`, takeAway(id));
  const before = tokensOf(pins);
  if (before + tokens <= tokensInAll) return undefined;
  const have = `The notes of the thread have about ${groupDigits(before)} tokens, and this one has ${groupDigits(tokens)}`;
  return tooMuch(`${have}; the limit for all notes is ${groupDigits(tokensInAll)}.`, takeAway(id));
}

const tokensOf = (pins: readonly Pin[]): number => pins.reduce((sum, { text }) => sum + estimateTokens(text), 0);

const takeAway = (id: ThreadId): string =>
  `Remove a note first, for example the oldest: \`capstan threads unpin ${id} 1\`.`;

const tooMuch = (message: string, next: string): Outcome => ({ code: 'note-not-pinned', message, next });
