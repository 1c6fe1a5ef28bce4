import { fullText } from '../../../protocol/outcome.ts';
import type { StoryCheckpoint, ThreadStory } from '../../context/thread-story.ts';
import { plural } from '../../wording/number-words.ts';
import { beforeCheckpointLines, turnsWord } from '../../wording/rollback-words.ts';
import type { TuiSession } from '../app/session.ts';
import type { BrowseView } from '../views/browse-view.ts';
import { confirmPage } from '../views/confirm-page.ts';
import { browseThread } from './browse-thread.ts';
import { checkpointsPage } from './checkpoint-pages.ts';

/** `/checkpoint`: before and after of each compaction. `/checkpoint undo`: undoes that one was taken back. */
export async function showCheckpoints(session: TuiSession, rest: string): Promise<void> {
  if (rest === 'undo') return undo(session);
  if (rest !== '') return session.notice('Use /checkpoint, or /checkpoint undo to undo a rollback.', 'error');
  await browseThread(session, 'Checkpoints', ({ story, view }) =>
    checkpointsPage(story, { takeBack: (checkpoint) => ask(session, story, view, checkpoint) }),
  );
}

/** The engine takes everything back that came after the checkpoint: that is said first. */
function ask(session: TuiSession, { turns }: ThreadStory, view: BrowseView, checkpoint: StoryCheckpoint): void {
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
        session.parts.stage.openPager(undefined);
        session.run(takeBack(session, number));
      },
    }),
  );
}

async function takeBack(session: TuiSession, number: number): Promise<void> {
  const { threads } = session.parts;
  const { id } = session.thread;
  const done = await threads.whole(id, (stored) => stored.rollback(id, { beforeCheckpoint: number }));
  if (done.kind === 'refused') return session.notice(fullText(done.outcome), 'error');
  const lines = beforeCheckpointLines(done, number);
  session.notice([...lines, 'To undo this: /checkpoint undo', ...done.notices.map(fullText)].join('\n'));
}

async function undo(session: TuiSession): Promise<void> {
  const { threads } = session.parts;
  const { id } = session.thread;
  const done = await threads.whole(id, (stored) => stored.undoRollback(id));
  if (done.kind === 'refused') return session.notice(fullText(done.outcome), 'error');
  session.notice(`The rollback is undone: ${turnsWord(done.turns).toLowerCase()} back again. Files are unchanged.`);
}
