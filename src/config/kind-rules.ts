import { isJsonObject, type Json } from '../protocol/json.ts';
import type { IntegerKind, KeyKind } from './key-kind.ts';

/** The value is of the right sort; its content may still be refused. */
export function hasType(kind: KeyKind, value: Json): boolean {
  switch (kind.type) {
    case 'string':
    case 'path':
    case 'choice':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return typeof value === 'number';
    case 'string-list':
    case 'path-list':
    case 'choice-list':
      return Array.isArray(value) && value.every((member) => typeof member === 'string');
    case 'free':
      return kind.shape === 'list' ? Array.isArray(value) : isJsonObject(value);
    case 'string-map':
      return isJsonObject(value) && Object.values(value).every((member) => typeof member === 'string');
    case 'table':
    case 'named-tables':
    case 'choice-map':
    case 'toggles':
    case 'unsupported':
    case 'retired':
      return isJsonObject(value);
    default:
      return kind satisfies never;
  }
}

/** For a value of the right sort: its content is one that the key takes. Choices are checked where aliases are known. */
export function isAllowed(kind: KeyKind, value: Json): boolean {
  switch (kind.type) {
    case 'string':
      return kind.blank === 'allowed' || (typeof value === 'string' && value.trim() !== '');
    case 'path':
      return value !== '';
    case 'path-list':
      return Array.isArray(value) && !value.includes('');
    case 'choice-map':
      return (
        isJsonObject(value) && Object.values(value).every((member) => kind.choices.some((choice) => choice === member))
      );
    case 'integer':
      return typeof value === 'number' && isInRange(kind, value);
    default:
      return true;
  }
}

function isInRange({ min, max = Infinity }: IntegerKind, value: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}

/** What the key takes, as the rest of a sentence that begins with "must be". */
export function describeKind(kind: KeyKind): string {
  switch (kind.type) {
    case 'string':
      return kind.blank === 'allowed' ? 'a string' : 'a string that is not blank';
    case 'path':
      return 'a path';
    case 'choice':
      return `one of ${kind.choices.map((choice) => `"${choice}"`).join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number from ${kind.min}${kind.max === undefined ? '' : ` to ${kind.max}`}`;
    case 'choice-list':
      return `a list of one or more of ${kind.choices.map((choice) => `"${choice}"`).join(', ')}`;
    case 'toggles':
      return 'a table of true or false';
    case 'free':
      return `a ${kind.shape}`;
    case 'string-list':
      return 'a list of strings';
    case 'path-list':
      return 'a list of paths';
    case 'string-map':
      return 'a table of strings';
    case 'choice-map':
      return `a table of values that are ${kind.choices.map((choice) => `"${choice}"`).join(' or ')}`;
    case 'table':
    case 'named-tables':
    case 'unsupported':
    case 'retired':
      return 'a table';
    default:
      return kind satisfies never;
  }
}

/** A name that looks like a number or a boolean was written bare. */
export function wantsQuotes(kind: KeyKind, value: Json): boolean {
  return (kind.type === 'string' || kind.type === 'path') && (typeof value === 'number' || typeof value === 'boolean');
}
