import { entries } from '../../../history/history.ts';
import { shownText } from '../../context/item-text.ts';
import { checkpointView } from '../../context/show-checkpoint.ts';
import type { StoryCheckpoint, ThreadStory } from '../../context/thread-story.ts';
import { checkpointText, causeWords } from '../../wording/checkpoint-words.ts';
import { count, plural } from '../../wording/number-words.ts';
import { clockTimeOf } from '../../wording/time-words.ts';
import { cleanLine } from '../text/clean.ts';
import { glyphsOf } from '../text/glyphs.ts';
import { dimStyle, plain, styled } from '../text/style.ts';
import type { BrowseAction, BrowseList, BrowsePage } from '../views/browse-page.ts';
import { figureRow } from '../views/figure-row.ts';
import { textPage } from '../views/text-page.ts';
import { saidRows } from './said-rows.ts';

/** Of a text beside its name: more than a row holds. */
const longestBeginning = 200;

/** What may be done with a checkpoint. */
export interface CheckpointActs {
  /** Opens what asks whether it is meant. */
  takeBack(checkpoint: StoryCheckpoint): void;
}

/** All checkpoints that stand, the newest first. */
export function checkpointsPage(story: ThreadStory, acts: CheckpointActs): BrowseList {
  const newestFirst = story.checkpoints.toReversed();
  const width = Math.max(0, ...newestFirst.map(({ turn }) => `turn ${turn}`.length));
  return {
    kind: 'list',
    title: 'Checkpoints',
    length: newestFirst.length,
    row(index, look) {
      const { number, report, turn } = newestFirst[index]!;
      const about =
        report === undefined
          ? 'made by another program'
          : `${count(report.tokensBefore)} ${glyphsOf(look).arrow} ${count(report.tokensAfter)} tokens, ${report.strategy}: ${causeWords(report)}`;
      const words = [plain(`Checkpoint ${number}  `), styled(cleanLine(about), dimStyle)];
      return figureRow(words, [{ text: `turn ${turn}`, width }], look);
    },
    open: (index) => checkpointPage(story, newestFirst[index]!, acts),
    actions:
      newestFirst.length === 0
        ? []
        : [{ key: 'u', does: 'takes it back', press: (index) => acts.takeBack(newestFirst[index]!) }],
    empty: 'The thread has no checkpoint. /compact makes one.',
  };
}

interface Fate {
  readonly name: string;
  readonly items: readonly FatedItem[];
}

interface FatedItem {
  readonly label: string;
  readonly turn?: number | undefined;
  readonly tokens: number;
  text(): string;
}

/** Before and after of one checkpoint: what became of each item, and what was made. */
function checkpointPage(story: ThreadStory, checkpoint: StoryCheckpoint, acts: CheckpointActs): BrowsePage {
  const { number, report, at, turn } = checkpoint;
  const view = checkpointView(story, checkpoint);
  const fates = fatesOf(view, checkpoint).filter(({ items }) => items.length > 0);
  const width = Math.max(...fates.map(({ items }) => count(sum(items)).length));
  const said = [
    report === undefined
      ? `Checkpoint ${number}, made by another program: what it cost is not in the file.`
      : checkpointText(report),
    `  made       ${clockTimeOf(at)}, in turn ${turn}`,
    `  history    ${plural(view.before.items.length, 'item')}, about ${count(view.before.tokens)} tokens, became ${plural(view.after.items.length, 'item')}, about ${count(view.after.tokens)}`,
  ];
  const actions: readonly BrowseAction[] = [
    { key: 'u', does: 'takes it back', press: () => acts.takeBack(checkpoint) },
  ];
  return {
    kind: 'list',
    title: `Checkpoint ${number}`,
    head: (look) => saidRows(said, look, 13),
    length: fates.length,
    row(index, look) {
      const { name, items } = fates[index]!;
      return figureRow(
        [plain(name)],
        [
          { text: count(sum(items)), width },
          { text: plural(items.length, 'item'), width: 12 },
        ],
        look,
      );
    },
    open: (index) => itemsPage(fates[index]!, actions),
    actions,
  };
}

function fatesOf(view: ReturnType<typeof checkpointView>, { before }: StoryCheckpoint): readonly Fate[] {
  const past = entries(before.history);
  const items = view.before.items.map((item) => ({
    fate: item.fate,
    label: `${item.family}: ${item.name}`,
    turn: item.turn,
    tokens: item.tokens,
    text: () => shownText(past[item.number - 1]!.item),
  }));
  const of = (wanted: string): readonly FatedItem[] => items.filter(({ fate }) => fate === wanted);
  const made = view.after.items
    .filter((item) => item.made)
    .map((item) => ({
      label: `${item.family}: ${item.name}`,
      turn: item.turn,
      tokens: item.tokens,
      text: () => item.text,
    }));
  return [
    { name: 'kept as they were', items: of('kept') },
    { name: 'your words, kept word for word', items: of('quoted') },
    { name: 'your words, kept in part', items: of('quoted-in-part') },
    { name: 'left to the summary', items: of('folded') },
    { name: 'made by the checkpoint', items: made },
  ];
}

function itemsPage({ name, items }: Fate, actions: readonly BrowseAction[]): BrowseList {
  const width = Math.max(...items.map(({ tokens }) => count(tokens).length));
  return {
    kind: 'list',
    title: name,
    length: items.length,
    row(index, look) {
      const { label, turn, tokens, text } = items[index]!;
      return figureRow(
        [plain(`${cleanLine(label)}  `), styled(cleanLine(text().slice(0, longestBeginning)), dimStyle)],
        [
          { text: count(tokens), width },
          { text: turn === undefined ? '' : `turn ${turn}`, width: 9 },
        ],
        look,
      );
    },
    open(index) {
      const { label, turn, tokens, text } = items[index]!;
      const place = turn === undefined ? '' : `Turn ${turn} · `;
      return textPage({ title: cleanLine(label), about: [`${place}about ${count(tokens)} tokens`], text });
    },
    actions,
  };
}

function sum(items: readonly FatedItem[]): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}
