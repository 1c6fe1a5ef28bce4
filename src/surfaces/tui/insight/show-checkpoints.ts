import { fullText } from '../../../protocol/outcome.ts';
import type { StoryCheckpoint, StoryTurn, ThreadStory } from '../../context/thread-story.ts';
import { plural } from '../../wording/number-words.ts';
import { beforeCheckpointLines } from '../../wording/rollback-words.ts';
import type { InsightHost } from './insight-host.ts';
import type { BrowseView } from '../views/browse-view.ts';
import { confirmPage } from '../views/confirm-page.ts';
import { browseThread } from './browse-thread.ts';
import { changeWhole } from './change-whole.ts';
import { checkpointsPage } from './checkpoint-pages.ts';

/** `/checkpoint`: before and after of each compaction. `/checkpoint undo`: undoes that one was taken back. */
export async function showCheckpoints(host: InsightHost, rest: string): Promise<void> {
  if (rest === 'undo' || rest === 'undo --force') return undo(host, { force: rest !== 'undo' });
  if (rest !== '') return host.notice('Use /checkpoint, or /checkpoint undo [--force] to undo a rollback.', 'error');
  await browseThread(host, 'Checkpoints', ({ story, view }) =>
    checkpointsPage(story, { takeBack: (checkpoint) => ask(host, story, view, checkpoint) }),
  );
}

/** The engine takes everything back that came after the checkpoint: that is said first. */
function ask(host: InsightHost, story: ThreadStory, view: BrowseView, checkpoint: StoryCheckpoint): void {
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
 * The turns of the user that go with a checkpoint: those after it, and one that had not begun to speak when it was made.
 * A turn that only compacts is none of them.
 */
function turnsTaken({ turns }: ThreadStory, { turn, report }: StoryCheckpoint): readonly StoryTurn[] {
  const first = report?.phase === 'pre_turn' ? turn : turn + 1;
  return turns.filter((each) => each.number >= first && !each.compacts);
}

async function takeBack(host: InsightHost, number: number, turns: readonly StoryTurn[]): Promise<void> {
  const { id } = host.thread;
  const done = await changeWhole(host, (stored) => stored.rollback(id, { beforeCheckpoint: number }));
  if (done.kind === 'refused') return host.notice(fullText(done.outcome), 'error');
  const lines = beforeCheckpointLines({ ...done, turns }, number);
  host.notice([...lines, 'To undo this: /checkpoint undo', ...done.notices.map(fullText)].join('\n'));
}

async function undo(host: InsightHost, { force }: { readonly force: boolean }): Promise<void> {
  const { id } = host.thread;
  const done = await changeWhole(host, (stored) => stored.undoRollback(id, { force }));
  if (done.kind === 'refused') return host.notice(fullText(done.outcome), 'error');
  host.notice('The rollback is undone: what it took back stands again. Files are unchanged.');
}
