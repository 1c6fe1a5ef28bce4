import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Entry } from '../../history/entry.ts';
import { entries } from '../../history/history.ts';
import { itemTokens } from '../../history/size.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { sections } from '../../world/sections.ts';
import { checkpointFields } from '../wording/snake-cased.ts';
import { checkpointText } from '../wording/checkpoint-words.ts';
import { shownText } from './item-text.ts';
import { partNamer } from './part-names.ts';
import { type Cell, plural, table, wrap } from '../terminal/table.ts';
import type { StoryCheckpoint, ThreadStory } from './thread-story.ts';

/** A checkpoint with the history before and after it, for programs. Tokens are estimates. */
export interface CheckpointView {
  /** Counted from 1 over those that stand. */
  readonly number: number;
  readonly turn: number;
  readonly at: string;
  /** Absent: another program made it. */
  readonly report?: JsonObject;
  readonly before: { readonly tokens: number; readonly items: readonly BeforeItem[] };
  readonly after: { readonly tokens: number; readonly items: readonly AfterItem[] };
}

interface ShownItem {
  /** Its place in the history, counted from 1. */
  readonly number: number;
  readonly id?: string;
  readonly family: string;
  readonly name: string;
  readonly turn?: number;
  readonly tokens: number;
}

/** `kept`: the item itself stands in history; `quoted`: its words stand in another item, or a part of them. */
export interface BeforeItem extends ShownItem {
  readonly fate: 'kept' | 'quoted' | 'quoted-in-part' | 'folded';
  /** The number of the item that it is now, or stands in. */
  readonly in?: number;
}

export interface AfterItem extends ShownItem {
  /** Whether it is new, and was made by the checkpoint. */
  readonly made: boolean;
  readonly text: string;
}

export function chooseCheckpoint(
  { checkpoints }: ThreadStory,
  asked: number | 'last',
  id: ThreadId,
): StoryCheckpoint | Outcome<'no-checkpoint'> {
  const found = asked === 'last' ? checkpoints.at(-1) : checkpoints[asked - 1];
  if (found !== undefined) return found;
  return {
    code: 'no-checkpoint',
    message: `The thread has ${plural(checkpoints.length, 'checkpoint')}.`,
    next:
      checkpoints.length === 0
        ? `Make one with \`capstan threads compact ${id}\`.`
        : `Name one from 1 to ${checkpoints.length}, or last.`,
  };
}

export function checkpointView(story: ThreadStory, checkpoint: StoryCheckpoint): CheckpointView {
  const { number, turn, at, report, before, after } = checkpoint;
  const places = placesIn(entries(after.history));
  const beforeItems = shownItems(story, before).map(({ entry, ...shown }) => ({ ...shown, ...fateOf(entry, places) }));
  const stood = new Set(entries(before.history).map(keyOf));
  const afterItems = shownItems(story, after).map(({ entry, ...shown }) => {
    return { ...shown, made: !stood.has(keyOf(entry)), text: shownText(entry.item) };
  });
  return {
    number,
    turn,
    at,
    ...(report === undefined ? {} : { report: checkpointFields(report) }),
    before: { tokens: sum(beforeItems), items: beforeItems },
    after: { tokens: sum(afterItems), items: afterItems },
  };
}

/** Both histories side by side, then the texts that the checkpoint made. */
export function checkpointViewText(story: ThreadStory, checkpoint: StoryCheckpoint, width: number): string {
  const view = checkpointView(story, checkpoint);
  const { before, after } = view;
  const rows = Array.from({ length: Math.max(before.items.length, after.items.length) }, (_, at) => [
    ...beforeCells(before.items[at]),
    '|',
    ...afterCells(after.items[at]),
  ]);
  const head = ['', 'before', 'turn', 'tokens', 'becomes', '|', '', 'after', 'turn', 'tokens'];
  const total = ['', 'total', '', before.tokens, '', '|', '', 'total', '', after.tokens];
  const now = entries(checkpoint.after.history);
  const made = after.items.filter(({ made: isNew, number }) => isNew && !isToldByCode(now[number - 1]!));
  const texts = made.map(({ number, name, text }) => `[${number}] ${name}\n${wrap(text, width).join('\n')}\n`);
  const about =
    checkpoint.report === undefined
      ? `Checkpoint ${view.number}, made by another program: what it cost is not in the file.`
      : checkpointText(checkpoint.report);
  const place = `${about}\n  made       ${view.at}, in turn ${view.turn}`;
  return `${place}\n\n${table([head, ...rows, total], { right: [0, 3, 6, 9], width })}\n${texts.join('\n')}`;
}

/** Whether it is all about the world: code tells that again whenever nothing proves that the model knows it. */
function isToldByCode({ origin }: Entry): boolean {
  return origin.family === 'context' && origin.kinds.length > 0 && origin.kinds.every((kind) => ofTheWorld.has(kind));
}

const ofTheWorld: ReadonlySet<string> = new Set(
  sections.flatMap(({ kinds }) => [...kinds.telling, ...kinds.withdrawing]),
);

function beforeCells(item: BeforeItem | undefined): readonly Cell[] {
  if (item === undefined) return ['', '', '', '', ''];
  const { number, family, name, turn = '', tokens, fate, in: place } = item;
  const where = place === undefined ? '' : ` ${place}`;
  const becomes = { kept: `kept as${where}`, quoted: `quoted in${where}`, 'quoted-in-part': `in part in${where}` };
  return [number, `${family}: ${name}`, turn, tokens, fate === 'folded' ? 'compacted' : becomes[fate]];
}

function afterCells(item: AfterItem | undefined): readonly Cell[] {
  if (item === undefined) return [];
  const { number, family, name, turn = '', tokens, made } = item;
  return [number, `${made ? '+ ' : ''}${family}: ${name}`, turn, tokens];
}

function shownItems(story: ThreadStory, state: ThreadState): readonly (ShownItem & { readonly entry: Entry })[] {
  const nameParts = partNamer({ ...story, state });
  return entries(state.history).map((entry, at) => {
    const tokens = itemTokens(entry.item);
    const named = nameParts({ what: { kind: 'entry', entry }, tokens, measure: 'estimated', cached: undefined });
    const id = stringAt(entry.item, 'id');
    const turn = named[0]?.turn;
    return {
      number: at + 1,
      ...defined({ id }),
      family: entry.origin.family,
      name: named.map(({ name }) => name).join(', '),
      ...defined({ turn }),
      tokens,
      entry,
    };
  });
}

interface Places {
  readonly items: ReadonlyMap<string, number>;
  /** Of messages that are quoted, by their id. */
  readonly words: ReadonlyMap<string, { readonly in: number; readonly cut: boolean }>;
}

function placesIn(after: readonly Entry[]): Places {
  return {
    items: new Map(after.map((entry, at) => [keyOf(entry), at + 1])),
    words: new Map(
      after.flatMap(({ words = [] }, at) =>
        words.map(({ id, cut }) => [id, { in: at + 1, cut: cut === true }] as const),
      ),
    ),
  };
}

function fateOf(entry: Entry, { items, words }: Places): Pick<BeforeItem, 'fate' | 'in'> {
  const kept = items.get(keyOf(entry));
  if (kept !== undefined) return { fate: 'kept', in: kept };
  const quoted = words.get(stringAt(entry.item, 'id') ?? '');
  if (quoted === undefined) return { fate: 'folded' };
  return { fate: quoted.cut ? 'quoted-in-part' : 'quoted', in: quoted.in };
}

/** By which an item is known again. Items of other programs may have no id. */
function keyOf({ item }: Entry): string {
  return stringAt(item, 'id') ?? JSON.stringify(item);
}

function sum(items: readonly ShownItem[]): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}
