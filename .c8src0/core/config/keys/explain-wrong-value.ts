import { memberPath, type WrongValue } from '../../policy/profiles/profile-entries.ts';
import { nearestKey } from './check-values.ts';

export function explainWrongValue(
  name: string,
  wrong: WrongValue,
): { readonly message: string; readonly next: string } {
  const at = wrong.at.startsWith('[') ? `${name}${wrong.at}` : wrong.at === '' ? name : memberPath(name, wrong.at);
  if (wrong.wrong === 'value') {
    return {
      message:
        wrong.why === undefined
          ? `${at} must be ${wrong.expected}, not ${describeValue(wrong.given)}.`
          : `${at} is not valid. ${wrong.why}`,
      next: `Correct ${name} or leave it out.`,
    };
  }
  return { message: `${at} has no key "${wrong.key}".`, next: suggestKey(wrong.key, wrong.known) };
}

export function suggestKey(key: string, known: readonly string[]): string {
  const nearest = nearestKey(key, known);
  return nearest === undefined ? `Use ${known.join(', ')}.` : `Did you mean ${nearest}?`;
}

export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value.length > 60 ? 'a long string' : JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === undefined ? 'nothing' : `this ${typeof value}`;
}
