import { grouped } from '../../protocol/grouped.ts';
import { isGateOpen } from '../../config/feature-gates.ts';
import type { Settings } from '../../envelope/settings.ts';
import { isGoalResting } from '../../protocol/goal.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { deadTurnNotice } from '../../thread/turn/dead-turn.ts';
import type { ResumedThread } from '../../thread/branch/resume.ts';
import type { Unproven } from '../../thread/branch/unproven.ts';
import { unprovenNotice } from './unproven-notice.ts';
import { waitingNotice } from '../../thread/waiting-notice.ts';
import { tooLongWords } from '../wording/skipped-words.ts';

/** What a user should know about a resumed thread: repairs, and what could not be read. */
export function resumeNotices(
  id: ThreadId,
  { owned, skipped, tooLong, missingBlobs = [], state, unproven }: ResumedThread & { readonly unproven: Unproven },
  { features }: Pick<Settings, 'features'>,
): readonly Outcome[] {
  const notices: Outcome[] = [
    deadTurnNotice(id, state),
    waitingNotice(id, state),
    unprovenNotice(id, unproven),
    goalNotice(state, features),
  ].filter((notice) => notice !== undefined);
  if (owned.torn !== undefined) {
    notices.push({
      code: 'torn-tail',
      message: `The last line of thread ${id} was incomplete, so Capstan removed it (${grouped(owned.torn.bytes)} bytes).`,
      next: 'Nothing that was shown is lost.',
    });
  }
  if (skipped > 0) {
    const [lines, were] = skipped === 1 ? ['A line', 'was'] : [`${grouped(skipped)} lines`, 'were'];
    const where = tooLong === undefined ? '' : ` ${tooLongWords(tooLong)}`;
    notices.push({
      code: 'lines-skipped',
      message: `${lines} of thread ${id} could not be read and ${were} skipped.${where}`,
      next: 'The model does not see what was there. The rest of the thread is unchanged.',
    });
  }
  if (missingBlobs.length > 0) {
    notices.push({
      code: 'blobs-missing',
      message: `The tool lists of earlier requests of thread ${id} are missing: ${missingBlobs.join(', ')}.`,
      next: 'You can resume the thread, but Capstan cannot rebuild those requests. Restore capstan/blobs of the home folder from a backup.',
    });
  }
  return notices;
}

/** A thread whose goal rests answers, and does not continue by itself: its user expects otherwise. */
function goalNotice({ goal }: ThreadState, features: Settings['features']): Outcome | undefined {
  if (goal === undefined || !isGoalResting(goal.status) || !isGateOpen('goals', features)) return undefined;
  return {
    code: 'goal-resting',
    message: 'The goal of this thread rests, so the thread does not continue by itself.',
    next: 'To continue with it, ask to resume the goal.',
  };
}
