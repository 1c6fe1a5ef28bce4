import { isGateOpen } from '../../core/config/features.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { userActionFragment } from '../../core/fragments/events/user-actions.ts';
import { isUserShellCommand } from '../../core/history/limit-output.ts';
import { isAboutFiles, waitingWords } from '../../core/state/fold/waiting-messages.ts';
import type { ThreadState } from '../../core/state/thread-state.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { isMessage, type Item, messageText } from '../../protocol/item.ts';
import { groupDigits, type Outcome, type Refusal } from '../../protocol/outcome.ts';
import { isGoalResting } from '../../protocol/thread.ts';
import { toEngineRefused } from '../engine-refused.ts';
import type { PinsChanged } from '../thread/branch/pinned-notes.ts';
import type { ResumedThread } from '../thread/branch/resume-thread.ts';
import type { WhyWithheld, UnprovenClaims } from '../thread/branch/unproven-lines.ts';
import { deadTurnNotice } from '../thread/turn/cut-off-turn.ts';
import { describeTooLongLines } from '../wording.ts';

/** Notices about a resumed thread: repairs and unreadable lines. */
export function resumeNotices(
  id: ThreadId,
  resumed: ResumedThread & { readonly unproven: UnprovenClaims },
  { features }: Pick<Settings, 'features'>,
): readonly Outcome[] {
  const { owned, skipped, tooLong, missingBlobs = [], state, unproven } = resumed;
  const notices: Outcome[] = [
    deadTurnNotice(id, state),
    waitingNotice(id, state),
    unprovenNotice(id, unproven),
    goalNotice(state, features),
  ].filter((notice) => notice !== undefined);
  if (owned.torn !== undefined) {
    notices.push({
      code: 'torn-tail',
      message: `The last line of thread ${id} was incomplete, so Capstan removed it (${groupDigits(owned.torn.bytes)} bytes).`,
      next: 'Nothing that was shown is lost.',
    });
  }
  if (skipped > 0) {
    const [lines, were] = skipped === 1 ? ['A line', 'was'] : [`${groupDigits(skipped)} lines`, 'were'];
    const where = tooLong === undefined ? '' : ` ${describeTooLongLines(tooLong)}`;
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

/** A thread with a resting goal answers but does not continue by itself, contrary to what its user expects. */
function goalNotice({ goal }: ThreadState, features: Settings['features']): Outcome | undefined {
  if (goal === undefined || !isGoalResting(goal.status) || !isGateOpen('goals', features)) return undefined;
  const message = 'The goal of this thread rests, so the thread does not continue by itself.';
  return { code: 'goal-resting', message, next: 'To continue with it, ask to resume the goal.' };
}

type UnprovenNotice = Outcome<'user-lines-unproven'>;

export function unprovenNotice(id: ThreadId, { messages, pins, forNow }: UnprovenClaims): UnprovenNotice | undefined {
  const [some, notes] = [counted(messages.length, 'waiting message'), counted(pins.length, 'pinned note')];
  const what = [...some, ...notes].join(' and ');
  if (what === '') return undefined;
  const isOne = messages.length + pins.length === 1;
  const [are, them, theySay, theyAre] = isOne
    ? ['is', 'it', 'it says', 'it is']
    : ['are', 'them', 'they say', 'they are'];
  if (forNow !== undefined) {
    const { why, next } = whyForNow(forNow);
    return { code: 'user-lines-unproven', message: `${what} of thread ${id} ${are} ignored for now: ${why}.`, next };
  }
  const again = [
    ...(messages.length === 0 ? [] : [`send the ${nounOf(messages.length, 'message')} again`]),
    ...(pins.length === 0 ? [] : [`pin the ${nounOf(pins.length, 'note')} again (see \`capstan threads pin --help\`)`]),
  ];
  const message = `${what} of thread ${id} ${are} ignored: Capstan cannot verify that it wrote ${them} in this home folder.`;
  const next = `Read what ${theySay} with \`capstan threads show ${id}\`. If ${theyAre} yours, ${again.join(', and ')}.`;
  return { code: 'user-lines-unproven', message, next };
}

function whyForNow(forNow: WhyWithheld) {
  if (forNow.kind === 'key-unusable') {
    const next = 'Nothing was deleted. Fix the key, and they are used when you next open the thread.';
    return { why: forNow.problem, next };
  }
  return {
    why: 'they are not signed with the key of this engine, and other engines may use other keys',
    next: 'Nothing was deleted. Give all engines of the store the same `seals`, so that each can verify what the others wrote.',
  };
}

const counted = (count: number, noun: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${nounOf(count, noun)}`];
const nounOf = (count: number, noun: string): string => (count === 1 ? noun : `${noun}s`);
const mostShown = 5;

type WaitingNotice = Outcome<'messages-waiting'>;

export function waitingNotice(id: ThreadId, { waiting: all }: Pick<ThreadState, 'waiting'>): WaitingNotice | undefined {
  // Leave out messages about files and commands, which users know, and results of reviews, which are not theirs.
  const waiting = all.filter(
    (message) => !isAboutFiles(message) && (message.kind !== 'item' || !isKnown(message.item)),
  );
  if (waiting.length === 0) return undefined;
  const shown = waiting.slice(0, mostShown).map((message) => `“${waitingWords(message, 60)}”`);
  const more = waiting.length > mostShown ? `; and ${waiting.length - mostShown} more` : '';
  const [some, them] =
    waiting.length === 1 ? ['a message', 'it'] : [`${waiting.length} messages`, 'them in this order'];
  const message = `Thread ${id} has ${some} that Capstan accepted and has not sent yet: ${shown.join('; ')}${more}.`;
  const next = `Capstan sends ${them} with the next turn, before your new message.`;
  return { code: 'messages-waiting', message, next };
}

const isKnown = (item: Item): boolean =>
  isMessage(item) && (isUserShellCommand(item) || userActionFragment.matches(messageText(item)));

export function pinChangeResult(done: PinsChanged | Refusal) {
  if (done.kind === 'refused') return toEngineRefused(done);
  const { unproven, ...changed } = done;
  const notice = unprovenNotice(done.id, unproven);
  const notices: readonly Outcome[] = notice === undefined ? [] : [notice];
  return { ...changed, notices };
}

/** Warns of calls cut off in a thread that no process writes. Other programs record no beginnings of calls. */
export async function cutOffTurnNotice(id: ThreadId, state: ThreadState, writer: Promise<string | undefined>) {
  if ((await writer) !== undefined || (state.openTurn?.calls ?? []).length === 0) return undefined;
  const notice = deadTurnNotice(id, state);
  return notice?.code === 'turn-cut-off' ? notice : undefined;
}
