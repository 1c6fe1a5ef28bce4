import { memberPath, type WrongProfileValue } from '../../policy/profiles/profile-entries.ts';
import { nearestConfigKey } from './check-values.ts';

export function explainWrongValue(name: string, wrong: WrongProfileValue) {
  const at = wrong.at.startsWith('[') ? `${name}${wrong.at}` : wrong.at === '' ? name : memberPath(name, wrong.at);
  if (wrong.wrong === 'key')
    return { message: `${at} has no key "${wrong.key}".`, next: suggestConfigKey(wrong.key, wrong.known) };
  const next = `Correct ${name} or leave it out.`;
  if (wrong.why !== undefined) return { message: `${at} is not valid. ${wrong.why}`, next };
  return { message: `${at} must be ${wrong.expected}, not ${describeTomlValue(wrong.given)}.`, next };
}

export function suggestConfigKey(key: string, known: readonly string[]): string {
  const nearest = nearestConfigKey(key, known);
  return nearest === undefined ? `Use ${known.join(', ')}.` : `Did you mean ${nearest}?`;
}

export function describeTomlValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value.length > 60 ? 'a long string' : JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === undefined ? 'nothing' : `this ${typeof value}`;
}
