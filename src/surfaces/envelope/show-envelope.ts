import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { count, cutLine, table, wrap } from '../terminal/table.ts';
import type { StoryTurn } from '../context/thread-story.ts';
import type { ChangedField, ShownField } from './envelope-fields.ts';
import { cutAtDifference, valueDifferences } from './value-difference.ts';

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
  const note = fields.some(isKept) ? `\n${instructionsKept}\n` : '';
  return `${table([['field', 'value', 'from', 'read by'], ...rows])}${note}`;
}

function fieldRows({ field, value, origin, roles, awaits }: ShownField): readonly (readonly string[])[] {
  const readers = [...roles, ...(awaits === undefined ? [] : [`later: ${awaits}`])].join(', ');
  const [first = '', ...more] = wrap(readers, lastWidth);
  const row = [`  ${field.slice(groupOf(field).length + 1)}`, cut(valueText(value)), origin, first];
  return [row, ...more.map((line) => ['', '', '', line])];
}

export function diffText(changes: readonly ChangedField[], numbers: { readonly from: number; readonly to: number }) {
  if (changes.length === 0) return `Nothing differs between turn ${numbers.from} and turn ${numbers.to}.\n`;
  const rows = changes.flatMap(({ field, from, to, origin }) =>
    valueDifferences(from, to).map(({ path, from: had, to: has }, index) => {
      const [before, now] = [had, has].map((value) => (value === undefined ? '-' : oneLine(valueText(value))));
      return [`${field}${path}`, ...cutAtDifference(before!, now!, valueWidth), index === 0 ? (origin ?? '') : ''];
    }),
  );
  return table([['field', `turn ${numbers.from}`, `turn ${numbers.to}`, 'from'], ...rows]);
}

/** Whether the value may not be the one that a reader expects. */
function isKept({ field, origin }: ShownField): boolean {
  return field === 'instructions.base.text' && origin === 'thread';
}

const instructionsKept =
  'instructions.base: the thread keeps the base instructions that it has. `instructions` and `model_instructions_file`\n' +
  "count when a thread starts; another model's own instructions replace a model's at the next checkpoint between turns.";

/** Why a turn has no envelope in the file. */
export function whyNoEnvelope({ number, compacts }: StoryTurn): string {
  const why = compacts
    ? 'it was a compaction by Capstan that made no checkpoint'
    : 'another program ran it, or it ended before one was written';
  return `Turn ${number} has no envelope in the file: ${why}.`;
}

/** What a turn without an envelope has: the contract as its program wrote it. */
export function contextText(turn: StoryTurn): string {
  const { context } = turn;
  const note = `${whyNoEnvelope(turn)}\n`;
  if (context === undefined) return note;
  const rows = Object.entries(context).flatMap(([key, value]) =>
    value === undefined || key === 'capstan' ? [] : [[key, cut(valueText(value), 80)]],
  );
  return `${note}Its turn_context says:\n\n${table(rows)}`;
}

export function turnLine(id: string, { number, id: turnId, at, compacts }: StoryTurn, turns: number): string {
  return `thread ${id} · turn ${number} of ${turns}${compacts ? ', a compaction' : ''}\n${turnId === undefined ? '' : `turn ${turnId} · `}${at}`;
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

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

function cut(text: string, width = valueWidth): string {
  return cutLine(oneLine(text), width);
}
