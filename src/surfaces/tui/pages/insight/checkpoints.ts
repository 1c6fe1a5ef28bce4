import { entries } from '../../../../core/history/history.ts';
import { formatCount, plural } from '../../../../engine/wording.ts';
import { fullText } from '../../../../protocol/outcome.ts';
import { checkpointView } from '../../../views/context/checkpoint-page.ts';
import type { StoryCheckpoint, StoryTurn, ThreadStory } from '../../../views/context/thread-story.ts';
import { itemText } from '../../../views/context/window-content.ts';
import { beforeCheckpointLines } from '../../../views/threads/rollback-and-restore-words.ts';
import { checkpointCauseWords, checkpointText } from '../../../views/wording/checkpoint-words.ts';
import { clockTimeOf } from '../../../views/wording/time-words.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { glyphsOf } from '../../screen/text/look.ts';
import { dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import {
  type BrowseAction,
  type BrowseList,
  type BrowsePage,
  type BrowseView,
  figureRow,
  sentenceRows,
  textPage,
} from '../browse-view.ts';
import { browseThread, changeWholeThread, type InspectedThread } from './inspected-thread.ts';

/** `/checkpoint`: before and after of each compaction. `/checkpoint undo`: undoes a rollback. */
export async function showCheckpoints(host: InspectedThread, rest: string): Promise<void> {
  if (rest === 'undo' || rest === 'undo --force') return undo(host, { force: rest !== 'undo' });
  if (rest !== '') return host.notice('Use /checkpoint, or /checkpoint undo [--force] to undo a rollback.', 'error');
  await browseThread(host, 'Checkpoints', ({ story, view }) =>
    checkpointsPage(story, { takeBack: (checkpoint) => ask(host, story, view, checkpoint) }),
  );
}

/** Warns first: the engine rolls back everything after the checkpoint. */
function ask(host: InspectedThread, story: ThreadStory, view: BrowseView, checkpoint: StoryCheckpoint): void {
  const { number } = checkpoint;
  const taken = turnsTaken(story, checkpoint);
  view.open(
    confirmPage({
      title: `Take checkpoint ${number} back?`,
      about: [
        `The conversation continues from before checkpoint ${number}, with the history of that moment.`,
        taken.length === 0
          ? 'Everything after the checkpoint is taken back.'
          : `Everything after it is taken back, with ${plural(taken.length, 'turn')}.`,
        'Files stay as they are. The history is long again, so the next turn may compact it again. /checkpoint undo undoes this.',
      ],
      no: 'No, keep the checkpoint',
      yes: `Yes, take checkpoint ${number} back`,
      decide(isYes) {
        if (!isYes) return view.back();
        host.parts.stage.openPager(undefined);
        host.run(takeBack(host, number, taken));
      },
    }),
  );
}

/**
 * User turns that a rollback to the checkpoint removes: those after it, and one whose request had not begun when it was
 * made. Turns that only compact are not counted.
 */
function turnsTaken({ turns }: ThreadStory, { turn, report }: StoryCheckpoint): readonly StoryTurn[] {
  const first = report?.phase === 'pre_turn' ? turn : turn + 1;
  return turns.filter((each) => each.number >= first && !each.compacts);
}

async function takeBack(host: InspectedThread, number: number, turns: readonly StoryTurn[]): Promise<void> {
  const { id } = host.thread;
  const done = await changeWholeThread(host, (stored) => stored.rollback(id, { beforeCheckpoint: number }));
  if (done.kind === 'refused') return host.notice(fullText(done.outcome), 'error');
  const lines = beforeCheckpointLines({ ...done, turns }, number);
  host.notice([...lines, 'To undo this: /checkpoint undo', ...done.notices.map(fullText)].join('\n'));
}

async function undo(host: InspectedThread, { force }: { readonly force: boolean }): Promise<void> {
  const { id } = host.thread;
  const done = await changeWholeThread(host, (stored) => stored.undoRollback(id, { force }));
  if (done.kind === 'refused') return host.notice(fullText(done.outcome), 'error');
  host.notice('The rollback is undone: what it took back stands again. Files are unchanged.');
}

export interface Confirmation {
  readonly title: string;
  /** Sentences that describe the consequences. */
  readonly about: readonly string[];
  readonly yes: string;
  readonly no: string;
  decide(isYes: boolean): void;
}

/** Asks for confirmation. No is selected first, so that pressing a key twice cannot confirm. */
export function confirmPage({ title, about, yes, no, decide }: Confirmation): BrowseList {
  const answers = [no, yes];
  return {
    kind: 'list',
    title,
    head: ({ width }) => [...about.flatMap((line) => wrapRow([styled(line, dimStyle)], { width })), []],
    length: answers.length,
    enter: 'chooses',
    isNumbered: true,
    row: (index): Row => [plain(`${index + 1}. ${answers[index]!}`)],
    open(index) {
      decide(index === 1);
      return undefined;
    },
  };
}

const longestBeginning = 200;

export interface CheckpointActs {
  takeBack(checkpoint: StoryCheckpoint): void;
}

/** Checkpoints that were not rolled back, newest first. */
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
          : `${formatCount(report.tokensBefore)} ${glyphsOf(look).arrow} ${formatCount(report.tokensAfter)} tokens, ${report.strategy}: ${checkpointCauseWords(report)}`;
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

function checkpointPage(story: ThreadStory, checkpoint: StoryCheckpoint, acts: CheckpointActs): BrowsePage {
  const { number, report, at, turn } = checkpoint;
  const view = checkpointView(story, checkpoint);
  const fates = fatesOf(view, checkpoint).filter(({ items }) => items.length > 0);
  const width = Math.max(...fates.map(({ items }) => formatCount(sum(items)).length));
  const said = [
    report === undefined
      ? `Checkpoint ${number}, made by another program: what it cost is not in the file.`
      : checkpointText(report),
    `  made       ${clockTimeOf(at)}, in turn ${turn}`,
    `  history    ${plural(view.before.items.length, 'item')}, about ${formatCount(view.before.tokens)} tokens, became ${plural(view.after.items.length, 'item')}, about ${formatCount(view.after.tokens)}`,
  ];
  const actions: readonly BrowseAction[] = [
    { key: 'u', does: 'takes it back', press: () => acts.takeBack(checkpoint) },
  ];
  return {
    kind: 'list',
    title: `Checkpoint ${number}`,
    head: (look) => sentenceRows(said, look, 13),
    length: fates.length,
    row(index, look) {
      const { name, items } = fates[index]!;
      return figureRow(
        [plain(name)],
        [
          { text: formatCount(sum(items)), width },
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
    text: () => itemText(past[item.number - 1]!.item),
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
  const width = Math.max(...items.map(({ tokens }) => formatCount(tokens).length));
  return {
    kind: 'list',
    title: name,
    length: items.length,
    row(index, look) {
      const { label, turn, tokens, text } = items[index]!;
      return figureRow(
        [plain(`${cleanLine(label)}  `), styled(cleanLine(text().slice(0, longestBeginning)), dimStyle)],
        [
          { text: formatCount(tokens), width },
          { text: turn === undefined ? '' : `turn ${turn}`, width: 9 },
        ],
        look,
      );
    },
    open(index) {
      const { label, turn, tokens, text } = items[index]!;
      const place = turn === undefined ? '' : `Turn ${turn} · `;
      return textPage({ title: cleanLine(label), about: [`${place}about ${formatCount(tokens)} tokens`], text });
    },
    actions,
  };
}

function sum(items: readonly FatedItem[]): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}
