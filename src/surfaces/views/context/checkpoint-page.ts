import type { HistoryEntry } from '../../../core/history/entry.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { itemTokens } from '../../../core/history/token-counts.ts';
import { stringAt } from '../../../protocol/json.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import { worldSections } from '../../../core/world/catalog.ts';
import { fragmentKindsOf } from '../../../core/world/sections/section.ts';
import { checkpointFields } from '../wording/json-fields.ts';
import { checkpointText } from '../wording/checkpoint-words.ts';
import { clockTimeOf } from '../wording/time-words.ts';
import { itemText, sumTokens } from './window-content.ts';
import { partNamer } from './window-parts.ts';
import { bold, dim, green, type Span } from '../terminal/styled-text.ts';
import { type PageForm, type TableCell, tableSpans, wrapSentences } from '../terminal/tables.ts';
import { wrap } from '../terminal/visible-text.ts';
import type { StoryCheckpoint, ThreadStory } from './thread-story.ts';

/** `kept`: the item itself is in history; `quoted`: its words, or a part of them, are in another item. */
interface Fate {
  readonly fate: 'kept' | 'quoted' | 'quoted-in-part' | 'folded';
  /** The number of the item that it became, or that contains it. */
  readonly in?: number;
}

type CheckpointView = ReturnType<typeof checkpointView>;

/** A checkpoint by itself, for programs. Without a report, another program made it. */
export function checkpointHead({ number, turn, at, report }: StoryCheckpoint) {
  return { number, turn, at, report: report && checkpointFields(report) };
}

/** A checkpoint with the history before and after it, for programs. Tokens are estimates. */
export function checkpointView(story: ThreadStory, checkpoint: StoryCheckpoint) {
  const { before, after } = checkpoint;
  const fateOf = fatesIn(historyEntries(after.history));
  const beforeItems = shownItems(story, before).map(({ entry, ...shown }) => ({ ...shown, ...fateOf(entry) }));
  const stood = new Set(historyEntries(before.history).map(keyOf));
  const afterItems = shownItems(story, after).map(({ entry, ...shown }) => {
    // New items were made by the checkpoint.
    return { ...shown, made: !stood.has(keyOf(entry)), text: itemText(entry.item) };
  });
  const [held, holds] = [sumTokens(beforeItems), sumTokens(afterItems)];
  const both = { before: { tokens: held, items: beforeItems }, after: { tokens: holds, items: afterItems } };
  return { ...checkpointHead(checkpoint), ...both };
}

export function checkpointPage(story: ThreadStory, checkpoint: StoryCheckpoint, form: PageForm): readonly Span[] {
  const { width } = form;
  const view = checkpointView(story, checkpoint);
  const { before, after } = view;
  const rows = Array.from({ length: Math.max(before.items.length, after.items.length) }, (_, at) => {
    return [...beforeCells(before.items[at]), '|', ...afterCells(after.items[at])];
  });
  const head = ['', 'before', 'turn', 'tokens', 'becomes', '|', '', 'after', 'turn', 'tokens'];
  const total = ['', 'total', '', before.tokens, '', '|', '', 'total', '', after.tokens];
  const now = historyEntries(checkpoint.after.history);
  const made = after.items.filter(({ made: isNew, number }) => isNew && !isToldByCode(now[number - 1]!));
  const texts = made.flatMap(({ number, name, text }): readonly Span[] => {
    return ['\n', bold(`[${number}] ${name}\n`), `${wrap(text, width).join('\n')}\n`];
  });
  const { report } = checkpoint;
  const foreign = `Checkpoint ${view.number}, made by another program: what it cost is not in the file.`;
  const about = report === undefined ? foreign : checkpointText(report);
  return [
    wrapSentences(`${about}\n  made       ${clockTimeOf(view.at)}, in turn ${view.turn}`, form),
    '\n',
    ...tableSpans([head.map(dim), ...rows, total], { right: [0, 3, 6, 9], width }),
    ...texts,
  ];
}

/** True for a description of the environment: Capstan itself repeats it if nothing proves that the model knows it. */
const isToldByCode = ({ origin }: HistoryEntry): boolean =>
  origin.family === 'context' && origin.kinds.length > 0 && origin.kinds.every((kind) => ofTheWorld.has(kind));

const ofTheWorld = new Set<string>(worldSections.flatMap(fragmentKindsOf));

function beforeCells(item: CheckpointView['before']['items'][number] | undefined): readonly TableCell[] {
  if (item === undefined) return ['', '', '', '', ''];
  const { number, family, name, turn = '', tokens, fate, in: place } = item;
  const becomes = { kept: 'kept as', quoted: 'quoted in', 'quoted-in-part': 'in part in' };
  return [number, `${family}: ${name}`, turn, tokens, fate === 'folded' ? 'compacted' : `${becomes[fate]} ${place}`];
}

function afterCells(item: CheckpointView['after']['items'][number] | undefined): readonly TableCell[] {
  if (item === undefined) return [];
  const { number, family, name, turn = '', tokens, made } = item;
  const what = `${family}: ${name}`;
  return [number, made ? green(`+ ${what}`) : what, turn, tokens];
}

function shownItems(story: ThreadStory, state: ThreadState) {
  const nameParts = partNamer({ ...story, state });
  return historyEntries(state.history).map((entry, at) => {
    const tokens = itemTokens(entry.item);
    const named = nameParts({ what: { kind: 'entry', entry }, tokens, measure: 'estimated' });
    const name = named.map((part) => part.name).join(', ');
    const [id, { family }, turn] = [stringAt(entry.item, 'id'), entry.origin, named[0]?.turn];
    return { number: at + 1, id, family, name, turn, tokens, entry };
  });
}

function fatesIn(after: readonly HistoryEntry[]): (entry: HistoryEntry) => Fate {
  const kept = new Map(after.map((entry, at) => [keyOf(entry), at + 1]));
  const quoted = after.flatMap(({ words = [] }, at) =>
    words.map(({ id, cut }) => [id, { fate: cut === true ? 'quoted-in-part' : 'quoted', in: at + 1 }] as const),
  );
  const quotedById = new Map<string, Fate>(quoted);
  return (entry) => {
    const place = kept.get(keyOf(entry));
    if (place !== undefined) return { fate: 'kept', in: place };
    return quotedById.get(stringAt(entry.item, 'id') ?? '') ?? { fate: 'folded' };
  };
}

/** Identifies an item in both histories. Items of other programs may have no id. */
const keyOf = ({ item }: HistoryEntry): string => stringAt(item, 'id') ?? JSON.stringify(item);
