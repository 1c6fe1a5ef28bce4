import { arrayAt, type JsonObject, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';

/** A thread has few; a forged file may name any number of any length. */
const mostWarnings = 50;
const longestName = 300;

export function warningLine(name: string): LineDraft {
  return { type: lineType.warning, payload: { name: name.slice(0, longestName) } };
}

export const isWarningRecorded = (warnings: readonly string[], name: string): boolean =>
  warnings.includes(name.slice(0, longestName));

export function foldWarning(warnings: readonly string[], payload: JsonObject): readonly string[] {
  const name = stringAt(payload, 'name');
  if (name === undefined || name.length > longestName || warnings.includes(name)) return warnings;
  return [...warnings, name].slice(-mostWarnings);
}

export function warningsFromJson(carried: JsonObject): readonly string[] {
  const names = (arrayAt(carried, 'warnings') ?? []).filter((name) => typeof name === 'string');
  return names.reduce<readonly string[]>((all, name) => foldWarning(all, { name }), []);
}

/** Keeps warnings marked as reported when a rollout continues from an earlier place. */
export const repeatedWarningLines = (then: readonly string[], now: readonly string[]): readonly LineDraft[] =>
  now.filter((name) => !then.includes(name)).map(warningLine);
