import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { count, table, wrap } from '../context/table.ts';
import type { StoryTurn } from '../context/thread-story.ts';
import type { ChangedField, ShownField } from './envelope-fields.ts';

const valueWidth = 34;
const lastWidth = 36;

/** The seven groups and the window: each value, where it came from, who reads it. */
export function envelopeText(fields: readonly ShownField[]): string {
  const groups = [...new Set(fields.map(({ field }) => groupOf(field)))];
  const rows = groups.flatMap((group) => [
    ['', '', '', ''],
    [group, '', '', ''],
    ...fields.filter(({ field }) => groupOf(field) === group).flatMap(fieldRows),
  ]);
  return table([['field', 'value', 'from', 'read by'], ...rows]);
}

function fieldRows({ field, value, origin, roles, awaits }: ShownField): readonly (readonly string[])[] {
  const readers = [...roles, ...(awaits === undefined ? [] : [`later: ${awaits}`])].join(', ');
  const [first = '', ...more] = wrap(readers, lastWidth);
  const row = [`  ${field.slice(groupOf(field).length + 1)}`, cut(valueText(value)), origin, first];
  return [row, ...more.map((line) => ['', '', '', line])];
}

export function diffText(changes: readonly ChangedField[], numbers: { readonly from: number; readonly to: number }) {
  if (changes.length === 0) return `Nothing differs between turn ${numbers.from} and turn ${numbers.to}.\n`;
  const rows = changes.map(({ field, from, to, origin }) => [
    field,
    from === undefined ? '-' : cut(valueText(from)),
    to === undefined ? '-' : cut(valueText(to)),
    origin ?? '',
  ]);
  return table([['field', `turn ${numbers.from}`, `turn ${numbers.to}`, 'from'], ...rows]);
}

/** What a turn without an envelope has: the contract as its program wrote it. */
export function contextText({ number, context }: StoryTurn): string {
  const note = `Turn ${number} has no envelope in the file: another program ran it, or it ended before one was written.\n`;
  if (context === undefined) return note;
  const rows = Object.entries(context).flatMap(([key, value]) =>
    value === undefined || key === 'capstan' ? [] : [[key, cut(valueText(value), 80)]],
  );
  return `${note}Its turn_context says:\n\n${table(rows)}`;
}

export function turnLine(id: string, { number, id: turnId, at }: StoryTurn, turns: number): string {
  return `thread ${id} · turn ${number} of ${turns}\n${turnId === undefined ? '' : `turn ${turnId} · `}${at}`;
}

function groupOf(field: string): string {
  return field.slice(0, field.indexOf('.'));
}

function valueText(value: Json): string {
  if (typeof value === 'number') return count(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (items.length === 0) return 'none';
    return items.every((item) => typeof item === 'string') ? items.join(', ') : JSON.stringify(items);
  }
  return isJsonObject(value) ? (digestText(value) ?? JSON.stringify(value)) : String(value);
}

/** How the rollout keeps a long text. */
function digestText(value: JsonObject): string | undefined {
  const { characters, digest, ...others } = value;
  if (typeof characters !== 'number' || typeof digest !== 'string' || Object.keys(others).length > 0) return undefined;
  return `${count(characters)} characters, digest ${digest.slice(0, 8)}`;
}

function cut(text: string, width = valueWidth): string {
  const line = text.replaceAll('\n', ' ');
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
