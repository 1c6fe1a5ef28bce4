import { fullText } from '../../../protocol/outcome.ts';
import type { StoryCheckpoint, ThreadStory } from '../../context/thread-story.ts';
import { plural } from '../../wording/number-words.ts';
import { beforeCheckpointLines, turnsWord } from '../../wording/rollback-words.ts';
import type { InsightHost } from './insight-host.ts';
import type { BrowseView } from '../views/browse-view.ts';
import { confirmPage } from '../views/confirm-page.ts';
import { browseThread } from './browse-thread.ts';
import { changeWhole } from './change-whole.ts';
import { checkpointsPage } from './checkpoint-pages.ts';

/** `/checkpoint`: before and after of each compaction. `/checkpoint undo`: undoes that one was taken back. */
export async function showCheckpoints(host: InsightHost, rest: string): Promise<void> {
  if (rest === 'undo') return undo(host);
  if (rest !== '') return host.notice('Use /checkpoint, or /checkpoint undo to undo a rollback.', 'error');
  await browseThread(host, 'Checkpoints', ({ story, view }) =>
    checkpointsPage(story, { takeBack: (checkpoint) => ask(host, story, view, checkpoint) }),
  );
}

/** The engine takes everything back that came after the checkpoint: that is said first. */
function ask(host: InsightHost, { turns }: ThreadStory, view: BrowseView, checkpoint: StoryCheckpoint): void {
  const { number, turn } = checkpoint;
  const later = turns.filter((each) => each.number > turn && !each.compacts).length;
  view.open(
    confirmPage({
      title: `Take checkpoint ${number} back?`,
      about: [
        `The conversation continues from before checkpoint ${number}, with the history of that moment.`,
        later === 0
          ? 'Everything after the checkpoint is taken back.'
          : `Everything after it is taken back, with ${plural(later, 'later turn')}.`,
        'Files stay as they are. The history is long again, so the next turn may compact it again. /checkpoint undo undoes this.',
      ],
      no: 'No, keep the checkpoint',
      yes: `Yes, take checkpoint ${number} back`,
      decide(isYes) {
        if (!isYes) return view.back();
        host.parts.stage.openPager(undefined);
        host.run(takeBack(host, number));
      },
    }),
  );
}

async function takeBack(host: InsightHost, number: number): Promise<void> {
  const { id } = host.thread;
  const done = await changeWhole(host, (stored) => stored.rollback(id, { beforeCheckpoint: number }));
  if (done.kind === 'refused') return host.notice(fullText(done.outcome), 'error');
  const lines = beforeCheckpointLines(done, number);
  host.notice([...lines, 'To undo this: /checkpoint undo', ...done.notices.map(fullText)].join('\n'));
}

async function undo(host: InsightHost): Promise<void> {
  const { id } = host.thread;
  const done = await changeWhole(host, (stored) => stored.undoRollback(id));
  if (done.kind === 'refused') return host.notice(fullText(done.outcome), 'error');
  host.notice(`The rollback is undone: ${turnsWord(done.turns).toLowerCase()} back again. Files are unchanged.`);
}
