import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { bold, dim, green, red, type Span } from '../terminal/look.ts';
import { type PageForm, prose } from '../terminal/page.ts';
import { type TableCell, tableSpans } from '../terminal/table.ts';
import { count } from '../wording/number-words.ts';
import { wrap } from '../terminal/wrap.ts';
import { clockTime, clockTimeOf } from '../wording/time-words.ts';
import type { StoryTurn } from '../context/thread-story.ts';
import type { ChangedField, ShownField } from './envelope-fields.ts';
import { cutAtDifference, valueDifferences } from './value-difference.ts';

const valueWidth = 34;
const lastWidth = 36;

/** From here on a page has room for the readers of each field. */
const wideEnough = 120;

/** The seven groups and the window: each value, where it came from, who reads it. */
export function envelopePage(fields: readonly ShownField[], form: PageForm): readonly Span[] {
  const width = form.proseWidth;
  const isWide = width >= wideEnough;
  const groups = [...new Set(fields.map(({ field }) => groupOf(field)))];
  const rows = groups.flatMap((group): readonly (readonly TableCell[])[] => [
    [''],
    [bold(group)],
    ...fields.filter(({ field }) => groupOf(field) === group).flatMap((field) => fieldRows(field, isWide)),
  ]);
  const head = ['field', 'value', 'from', ...(isWide ? ['read by'] : [])].map(dim);
  const notes = [
    ...(fields.some(isKept) ? [instructionsKept] : []),
    ...(isWide ? [] : [`A terminal of ${wideEnough} columns shows who reads each field, and so does --json.`]),
  ];
  return [
    ...tableSpans([head, ...rows], { width, most: { 1: valueWidth } }),
    ...notes.map((note) => `\n${prose(note, form)}`),
  ];
}

function fieldRows(
  { field, value, origin, roles, awaits }: ShownField,
  withReaders: boolean,
): readonly (readonly string[])[] {
  const row = [`  ${field.slice(groupOf(field).length + 1)}`, oneLine(fieldText(field, value)), origin];
  if (!withReaders) return [row];
  const readers = [...roles, ...(awaits === undefined ? [] : [`later: ${awaits}`])].join(', ');
  const [first = '', ...more] = wrap(readers, lastWidth);
  return [[...row, first], ...more.map((line) => ['', '', '', line])];
}

export function diffPage(
  changes: readonly ChangedField[],
  numbers: { readonly from: number; readonly to: number },
  { proseWidth: width }: PageForm,
): readonly Span[] {
  if (changes.length === 0) return [`Nothing differs between turn ${numbers.from} and turn ${numbers.to}.\n`];
  const most = width === Infinity ? Infinity : Math.min(valueWidth, Math.floor(width / 4));
  const rows = changes.flatMap(({ field, from, to, origin }) =>
    valueDifferences(from, to).map(({ path, from: had, to: has }, index): readonly TableCell[] => {
      const [before, now] = [had, has].map((value) => (value === undefined ? '-' : oneLine(valueText(value))));
      const [old, fresh] = cutAtDifference(before!, now!, most);
      return [`${field}${path}`, red(old), green(fresh), index === 0 ? (origin ?? '') : ''];
    }),
  );
  const head = ['field', `turn ${numbers.from}`, `turn ${numbers.to}`, 'from'].map(dim);
  return tableSpans([head, ...rows], { width, whole: [0], most: { 1: valueWidth, 2: valueWidth } });
}

/** Whether the value may not be the one that a reader expects. */
function isKept({ field, origin }: ShownField): boolean {
  return field === 'instructions.base.text' && origin === 'thread';
}

const instructionsKept =
  'instructions.base: the thread keeps the base instructions that it has. `instructions` and `model_instructions_file` ' +
  "apply only when a thread starts. After a switch of models, the new model's own instructions replace the old ones at the next checkpoint between turns.";

/** Why a turn has no envelope in the file. */
export function whyNoEnvelope({ number, compacts }: StoryTurn): string {
  const why = compacts
    ? 'it was a compaction by Capstan that made no checkpoint'
    : 'another program ran it, or it ended before one was written';
  return `Turn ${number} has no envelope in the file: ${why}.`;
}

/** What a turn without an envelope has: the contract as its program wrote it. */
export function contextPage(turn: StoryTurn, form: PageForm): readonly Span[] {
  const { context } = turn;
  const note = prose(whyNoEnvelope(turn), form);
  if (context === undefined) return [note];
  const rows = Object.entries(context).flatMap(([key, value]) =>
    value === undefined || key === 'capstan' ? [] : [[key, oneLine(valueText(value))]],
  );
  return [note, 'Its turn_context says:\n\n', ...tableSpans(rows, { width: form.proseWidth })];
}

export function turnLine(id: string, { number, id: turnId, at, compacts }: StoryTurn, turns: number): string {
  const place = `thread ${id} · turn ${number} of ${turns}${compacts ? ', a compaction' : ''}`;
  return `${place}\n${turnId === undefined ? '' : `turn ${turnId} · `}${clockTimeOf(at)}`;
}

function groupOf(field: string): string {
  return field.slice(0, field.indexOf('.'));
}

/** A moment is shown as people say it; `--json` has it exactly. */
export function fieldText(field: string, value: Json): string {
  return field === 'telemetry.startedAt' && typeof value === 'number' ? clockTime(value) : valueText(value);
}

function valueText(value: Json): string {
  if (typeof value === 'number') return count(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (items.length === 0) return 'none';
    return items.map((item) => (typeof item === 'object' ? `(${valueText(item)})` : valueText(item))).join(', ');
  }
  return isJsonObject(value) ? (digestText(value) ?? membersText(value)) : String(value);
}

/** `type managed, network (enabled true)`. The exact value is for `--json`. */
function membersText(value: JsonObject): string {
  const members = Object.entries(value).map(([name, member]) => {
    const text = valueText(member ?? null);
    return `${name} ${isJsonObject(member) ? `(${text})` : text}`;
  });
  return members.length === 0 ? 'none' : members.join(', ');
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
