import { historyEntries } from '../../../../core/history/history.ts';
import { formatCount, plural } from '../../../../engine/wording.ts';
import { outcomeText } from '../../../../protocol/outcome.ts';
import { checkpointView } from '../../../views/context/checkpoint-page.ts';
import type { StoryCheckpoint, StoryTurn, ThreadStory } from '../../../views/context/thread-story.ts';
import { itemText } from '../../../views/context/window-content.ts';
import { checkpointRollbackLines } from '../../../views/threads/rollback-and-restore-words.ts';
import { checkpointCauseWords, checkpointText } from '../../../views/wording/checkpoint-words.ts';
import { clockTimeOf } from '../../../views/wording/time-words.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { glyphsOf } from '../../screen/text/look.ts';
import { dimStyle, plain, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { figureRow, listPage, sentenceRows, browsableText } from '../browse-view.ts';
import type { BrowseAction, BrowseList, BrowsePage, BrowseView } from '../browse-view.ts';
import type { TuiSession } from '../../session/session.ts';
import { browseThread, changeWholeThread } from './inspected-thread.ts';

/** `/checkpoint`: before and after of each compaction. `/checkpoint undo`: undoes a rollback. */
export async function showCheckpoints(host: TuiSession, rest: string): Promise<void> {
  if (rest === 'undo' || rest === 'undo --force') return undo(host, rest !== 'undo');
  if (rest !== '') return host.notice('Use /checkpoint, or /checkpoint undo [--force] to undo a rollback.', 'error');
  await browseThread(host, 'Checkpoints', ({ story, view }) =>
    checkpointsPage(story, { takeBack: (checkpoint) => ask(host, story, view, checkpoint) }),
  );
}

/** Warns first: the engine rolls back everything after the checkpoint. */
function ask(host: TuiSession, story: ThreadStory, view: BrowseView, checkpoint: StoryCheckpoint): void {
  const { number } = checkpoint;
  const taken = turnsTaken(story, checkpoint);
  view.open(
    confirmationList({
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

/** User turns that a rollback removes: the checkpoint's own turn too, if its request had not begun. */
function turnsTaken({ turns }: ThreadStory, { turn, report }: StoryCheckpoint): readonly StoryTurn[] {
  const first = report?.phase === 'pre_turn' ? turn : turn + 1;
  return turns.filter((each) => each.number >= first && !each.compacts);
}

async function takeBack(host: TuiSession, number: number, turns: readonly StoryTurn[]): Promise<void> {
  const done = await changeWholeThread(host, (stored) => stored.rollback(host.thread.id, { beforeCheckpoint: number }));
  if (done.kind === 'refused') return host.noticeProblem(done.outcome);
  const lines = checkpointRollbackLines({ ...done, turns }, number);
  host.notice([...lines, 'To undo this: /checkpoint undo', ...done.notices.map(outcomeText)].join('\n'));
}

async function undo(host: TuiSession, force: boolean): Promise<void> {
  const done = await changeWholeThread(host, (stored) => stored.undoRollback(host.thread.id, { force }));
  if (done.kind === 'refused') return host.noticeProblem(done.outcome);
  host.notice('The rollback is undone: what it took back stands again. Files are unchanged.');
}

interface Confirmation extends Readonly<Record<'title' | 'yes' | 'no', string>> {
  /** Sentences that describe the consequences. */
  readonly about: readonly string[];
  decide(isYes: boolean): void;
}

/** Asks for confirmation. No is selected first, so that pressing a key twice cannot confirm. */
export function confirmationList({ title, about, yes, no, decide }: Confirmation): BrowseList {
  return listPage(title, [no, yes], {
    head: ({ width }) => [...about.flatMap((line) => wrapRow([styled(line, dimStyle)], { width })), []],
    enter: 'chooses',
    isNumbered: true,
    row: (answer, _look, index) => [plain(`${index + 1}. ${answer}`)],
    open: (_, index) => decide(index === 1),
  });
}

const longestBeginning = 200;
type CheckpointActs = { takeBack(checkpoint: StoryCheckpoint): void };

/** Checkpoints that were not rolled back, newest first. */
export function checkpointsPage(story: ThreadStory, acts: CheckpointActs): BrowseList {
  const newestFirst = story.checkpoints.toReversed();
  const width = Math.max(0, ...newestFirst.map(({ turn }) => `turn ${turn}`.length));
  const takeBack = takeBackAction((index) => acts.takeBack(newestFirst[index]!));
  return listPage('Checkpoints', newestFirst, {
    row({ number, report, turn }, look) {
      const about =
        report === undefined
          ? 'made by another program'
          : `${formatCount(report.tokensBefore)} ${glyphsOf(look).arrow} ${formatCount(report.tokensAfter)} tokens, ${report.strategy}: ${checkpointCauseWords(report)}`;
      const words = [plain(`Checkpoint ${number}  `), styled(cleanLine(about), dimStyle)];
      return figureRow(words, look, [`turn ${turn}`, width]);
    },
    open: (checkpoint) => checkpointPage(story, checkpoint, acts),
    actions: newestFirst.length === 0 ? [] : [takeBack],
    empty: 'The thread has no checkpoint. /compact makes one.',
  });
}

const takeBackAction = (press: BrowseAction['press']): BrowseAction => ({ key: 'u', does: 'takes it back', press });
type Fate = { readonly name: string; readonly items: readonly FatedItem[] };
type FatedItem = { readonly label: string; readonly turn?: number; readonly tokens: number; text(): string };

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
  const actions = [takeBackAction(() => acts.takeBack(checkpoint))];
  return listPage(`Checkpoint ${number}`, fates, {
    head: (look) => sentenceRows(said, look, 13),
    row: ({ name, items }, look) =>
      figureRow([plain(name)], look, [formatCount(sum(items)), width], [plural(items.length, 'item'), 12]),
    open: (fate) => itemsPage(fate, actions),
    actions,
  });
}

function fatesOf(view: ReturnType<typeof checkpointView>, { before }: StoryCheckpoint): readonly Fate[] {
  const past = historyEntries(before.history);
  const items = view.before.items.map(({ family, name, number, ...item }) => ({
    ...item,
    label: `${family}: ${name}`,
    text: () => itemText(past[number - 1]!.item),
  }));
  const of = (wanted: string): readonly FatedItem[] => items.filter(({ fate }) => fate === wanted);
  const made = view.after.items
    .filter((item) => item.made)
    .map(({ family, name, text, ...item }) => ({ ...item, label: `${family}: ${name}`, text: () => text }));
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
  return listPage(name, items, {
    row({ label, turn, tokens, text }, look) {
      const beginning = styled(cleanLine(text().slice(0, longestBeginning)), dimStyle);
      const place = turn === undefined ? '' : `turn ${turn}`;
      return figureRow([plain(`${cleanLine(label)}  `), beginning], look, [formatCount(tokens), width], [place, 9]);
    },
    open({ label, turn, tokens, text }) {
      const place = turn === undefined ? '' : `Turn ${turn} · `;
      return browsableText({ title: cleanLine(label), about: [`${place}about ${formatCount(tokens)} tokens`], text });
    },
    actions,
  });
}

const sum = (items: readonly FatedItem[]): number => items.reduce((total, { tokens }) => total + tokens, 0);
