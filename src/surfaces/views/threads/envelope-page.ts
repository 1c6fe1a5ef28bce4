import { defined } from '../../../base/objects.ts';
import type { Envelope } from '../../../core/envelope/envelope.ts';
import { type FieldOwnership, fieldOwnership } from '../../../core/envelope/ownership.ts';
import { formatCount, plural } from '../../../engine/wording.ts';
import { equalJson, isJsonObject, type Json, type JsonObject, valueAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { StoryTurn, ThreadStory } from '../context/thread-story.ts';
import { type PageForm, type TableCell, tableSpans, wrapSentences } from '../terminal/tables.ts';
import { bold, dim, green, red, type Span } from '../terminal/styled-text.ts';
import { fitToWidth, wrap } from '../terminal/visible-text.ts';
import { clockTime, clockTimeOf } from '../wording/time-words.ts';

export type EnvelopeView = { readonly turn: StoryTurn } & (
  | { readonly kind: 'envelope'; readonly fields: readonly ShownField[] | undefined }
  | { readonly kind: 'difference'; readonly against: number; readonly changes: readonly ChangedField[] }
);

type AskedTurns = Record<'turn' | 'diff', number | undefined>;

/** Turns are counted from 1; without a number the newest one is shown. */
export function envelopeView(id: string, story: ThreadStory, asked: AskedTurns): EnvelopeView | Outcome {
  const turn = chooseTurn(story, asked.turn ?? story.turns.length);
  if ('code' in turn) return turn;
  const { envelope } = turn;
  if (asked.diff === undefined) return { kind: 'envelope', turn, fields: envelope && envelopeFields(envelope) };
  const other = chooseTurn(story, asked.diff);
  if ('code' in other) return other;
  if (other.envelope === undefined) return noEnvelope(id, other);
  if (envelope === undefined) return noEnvelope(id, turn);
  return { kind: 'difference', turn, against: asked.diff, changes: changedFields(other.envelope, envelope) };
}

export function envelopeJson(id: string, view: EnvelopeView) {
  const { number, id: turnId, at, context } = view.turn;
  if (view.kind === 'difference') return { thread: id, turn: number, against: view.against, changes: view.changes };
  const shown = view.fields === undefined ? { fields: null, turn_context: context ?? null } : { fields: view.fields };
  return { thread: id, turn: number, turn_id: turnId, at, ...shown };
}

const chooseTurn = ({ turns }: ThreadStory, number: number): StoryTurn | Outcome<'no-turn'> =>
  turns[number - 1] ?? {
    code: 'no-turn',
    message: `The thread has ${plural(turns.length, 'turn')}.`,
    next: turns.length === 0 ? 'Run a turn first.' : `Name one from 1 to ${turns.length}.`,
  };

function noEnvelope(id: string, turn: StoryTurn): Outcome<'no-envelope'> {
  const next = `See what it has with \`capstan envelope ${id} --turn ${turn.number}\`.`;
  return { code: 'no-envelope', message: missingEnvelopeReason(turn), next };
}

export type ShownField = ReturnType<typeof envelopeFields>[number];

/** In the order of the map. Long texts are stored as size and digest. `awaits`: a future reader that does not exist. */
export const envelopeFields = (stored: JsonObject) =>
  fieldOwnership.flatMap((row) => {
    const { field, consumers, awaits } = row;
    const value = valueAt(stored, field.split('.'));
    if (value === undefined) return [];
    const roles = [...new Set(consumers.map(({ role }) => role))];
    const paths = consumers.map(({ path }) => path);
    return [{ field, value, origin: originOf(row, stored), consumers: paths, roles, awaits }];
  });

/** The layer or caller that chose the field's whole setting, else its source if there was no choice. */
function originOf({ field, source }: FieldOwnership, stored: JsonObject): string {
  const { settings = [] } = source;
  const otherwise = source.otherwise === 'model catalogue' ? sourceOf(field, stored) : source.otherwise;
  if (!isJsonObject(valueAt(stored, ['telemetry', 'origins']))) return otherwise;
  const { origins } = (stored as unknown as Pick<Envelope, 'telemetry'>).telemetry;
  const places = settings.flatMap((path) => [path, path.replace(/\..*/s, ''), formerNames[path] ?? path]);
  return places.map((path) => origins[path]).find((origin) => origin !== undefined) ?? otherwise;
}

const formerNames: Readonly<Record<string, string>> = { approvals: 'approval', sandbox: 'profile' };

/** A server or a test may have overridden what the catalogue says. */
function sourceOf(field: string, stored: JsonObject): string {
  const isWindow = field === 'window.effective' || field === 'window.configured';
  const name = isWindow ? 'contextWindow' : field.replace(/^(?:identity\.model|capabilities)\./, '');
  const source = valueAt(stored, ['identity', 'model', 'sources', name]);
  return typeof source === 'string' ? source : 'model catalogue';
}

export type ChangedField = ReturnType<typeof changedFields>[number];

/** A value is absent if the turn did not have it. The origin is that of the newer value. */
const changedFields = (before: JsonObject, now: JsonObject) =>
  fieldOwnership.flatMap((row) => {
    const { field } = row;
    const [from, to] = [before, now].map((stored) => valueAt(stored, field.split('.')));
    const origin = to === undefined ? undefined : originOf(row, now);
    return equalJson(from, to) ? [] : [{ field, ...defined({ from, to, origin }) }];
  });

const [valueWidth, lastWidth, wideEnough] = [34, 36, 120];

/** The seven groups and the window: each value with its origin and its readers. */
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
    // The value may differ from what a reader expects.
    ...(fields.some(({ field, origin }) => field === 'instructions.base.text' && origin === 'thread')
      ? [instructionsKept]
      : []),
    ...(isWide ? [] : [`A terminal of ${wideEnough} columns shows who reads each field, and so does --json.`]),
  ];
  const page = tableSpans([head, ...rows], { width, most: { 1: valueWidth } });
  return [...page, ...notes.map((note) => `\n${wrapSentences(note, form)}`)];
}

function fieldRows(shown: ShownField, withReaders: boolean): readonly (readonly string[])[] {
  const { field, value, origin, roles, awaits } = shown;
  const row = [`  ${field.slice(groupOf(field).length + 1)}`, oneLine(envelopeFieldText(field, value)), origin];
  if (!withReaders) return [row];
  const readers = [...roles, ...(awaits === undefined ? [] : [`later: ${awaits}`])].join(', ');
  const [first = '', ...more] = wrap(readers, lastWidth);
  return [[...row, first], ...more.map((line) => ['', '', '', line])];
}

export function envelopeDiffPage(
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

const instructionsKept =
  'instructions.base: the thread keeps the base instructions that it has. `instructions` and `model_instructions_file` ' +
  "apply only when a thread starts. After a switch of models, the new model's own instructions replace the old ones at the next checkpoint between turns.";

export function missingEnvelopeReason({ number, compacts }: StoryTurn): string {
  const why = compacts
    ? 'it was a compaction by Capstan that made no checkpoint'
    : 'another program ran it, or it ended before one was written';
  return `Turn ${number} has no envelope in the file: ${why}.`;
}

/** For a turn without an envelope: the contract as its program wrote it. */
export function turnContextPage(turn: StoryTurn, form: PageForm): readonly Span[] {
  const { context } = turn;
  const note = wrapSentences(missingEnvelopeReason(turn), form);
  if (context === undefined) return [note];
  const shown = Object.entries(context).filter(([key, value]) => value !== undefined && key !== 'capstan');
  const rows = shown.map(([key, value]) => [key, oneLine(valueText(value!))]);
  return [note, 'Its turn_context says:\n\n', ...tableSpans(rows, { width: form.proseWidth })];
}

export function envelopeTurnLine(id: string, { number, id: turnId, at, compacts }: StoryTurn, turns: number): string {
  const place = `thread ${id} · turn ${number} of ${turns}${compacts ? ', a compaction' : ''}`;
  return `${place}\n${turnId === undefined ? '' : `turn ${turnId} · `}${clockTimeOf(at)}`;
}

const groupOf = (field: string): string => field.slice(0, field.indexOf('.'));

/** Times are worded for people; `--json` has the exact value. */
export const envelopeFieldText = (field: string, value: Json): string =>
  field === 'telemetry.startedAt' && typeof value === 'number' ? clockTime(value) : valueText(value);

function valueText(value: Json): string {
  if (typeof value === 'number') return formatCount(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (items.length === 0) return 'none';
    return items.map((item) => (typeof item === 'object' ? `(${valueText(item)})` : valueText(item))).join(', ');
  }
  return isJsonObject(value) ? (digestText(value) ?? membersText(value)) : String(value);
}

/** `type managed, network (enabled true)`. `--json` has the exact value. */
function membersText(value: JsonObject): string {
  const members = Object.entries(value).map(([name, member]) => {
    const text = valueText(member ?? null);
    return `${name} ${isJsonObject(member) ? `(${text})` : text}`;
  });
  return members.length === 0 ? 'none' : members.join(', ');
}

/** Describes a long text that is stored as size and digest. Undefined for other values. */
function digestText(value: JsonObject): string | undefined {
  const { characters, digest, ...others } = value;
  if (typeof characters !== 'number' || typeof digest !== 'string' || Object.keys(others).length > 0) return undefined;
  return `${formatCount(characters)} characters, digest ${digest.slice(0, 8)}`;
}

const oneLine = (text: string): string => text.replaceAll('\n', ' ');

/** A place at which two values differ; a side without a value is absent. */
export interface ValueDifference {
  /** Dotted, relative to the value: `.entries.2.access`; empty for the value itself. */
  readonly path: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** All places at which two values differ, so that a small change in a large value is visible. */
export function valueDifferences(from: Json | undefined, to: Json | undefined, path = ''): readonly ValueDifference[] {
  if (from !== undefined && to !== undefined && equalJson(from, to)) return [];
  if (hasMembers(from) && hasMembers(to) && Array.isArray(from) === Array.isArray(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => valueDifferences(memberOf(from, name), memberOf(to, name), `${path}.${name}`));
  }
  return [{ path, ...defined({ from, to }) }];
}

/** A list of words counts as one value, and so does a text stored as its size and digest. */
function hasMembers(value: Json | undefined): value is object & Json {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object');
  return isJsonObject(value) && value['digest'] === undefined;
}

const memberOf = (value: object, name: string): Json | undefined =>
  (value as Readonly<Record<string, Json | undefined>>)[name];

const before = 10;

/** Both texts, cut so that the first difference stays visible. */
function cutAtDifference(from: string, to: string, width: number): readonly [string, string] {
  if (from.length <= width && to.length <= width) return [from, to];
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  // Keep the start, which says what it is about, as long as the difference is visible.
  const start = same < width - before ? 0 : same - before;
  const part = (text: string): string => fitToWidth(`${start === 0 ? '' : '…'}${text.slice(start)}`, width);
  return [part(from), part(to)];
}
