import type { Survival } from '../../ports/processes.ts';

/** Answers to calls that no tool gave an answer to. */

/** The call was under way when the program died: what it did is unknown (I3). */
export function outcomeUnknown(survival: Survival, { idempotent = false } = {}): string {
  const what = 'It may have been done in part, wholly or not at all, and it has not been repeated.';
  const again = idempotent ? ' Calling it again does no harm.' : '';
  return `Outcome unknown: the program ended while this call was under way. ${found[survival]}${what}${again}`;
}

const found: Readonly<Record<Survival, string>> = {
  gone: '',
  ended: 'Its process was still running when the thread was taken up again, and was ended then. ',
  running: 'Its process was still running when the thread was taken up again, and could not be ended. ',
};

/** The call was under way when the thread was forked, and is answered in the thread that it was forked from. */
export const outcomeElsewhere =
  'Outcome unknown: this conversation was branched off while the call was under way. It may have been done in part, wholly or not at all, and it has not been repeated here.';

/** The call was never answered, in a file that says no more about it. */
export const abortedCall = 'aborted';

export const planUpdated = 'Plan updated';

export function unknownTool(name: string, known: readonly string[]): string {
  return `There is no tool named ${JSON.stringify(name)}. Tools: ${known.join(', ')}.`;
}

export function badArguments(problem: string): string {
  return `The arguments were not accepted and nothing was done: ${problem}`;
}

export function refusedCall(message: string, next: string): string {
  return `Not run: ${message} ${next}`;
}

/** The user was asked and said no. */
export function declined(note: string | undefined): string {
  return note === uncovered
    ? `Not run: ${note.charAt(0).toLowerCase()}${note.slice(1)}`
    : withWords('Not run: the user declined it.', note);
}

/** The same, and the turn ends with it. */
export function stoppedByUser(note: string | undefined): string {
  return withWords('Not run: the user declined it and stopped the turn.', note);
}

function withWords(said: string, note: string | undefined): string {
  if (note === undefined) return said;
  return note === uncovered ? `${said} ${note}` : `${said} The user says: ${note}`;
}

/** A note of its own: answers were prepared, and none is about the call. */
export const uncovered = 'The answers that were prepared for this run do not cover it.';

/** The user was asked, and what would be asked now is something else. */
export const noLongerAsked =
  'Not run: the program ended before the call began, and what the user was asked about is no longer what it would do, or is no longer allowed.';

/** The user was asked, and the turn was interrupted before an answer came. */
export const lapsed = 'Not run: the turn was interrupted before the user answered whether it may run.';

/** The user was asked, and the program ended before an answer came. */
export const neverAnswered = 'Not run: the program ended before the user answered whether it may run.';

/** The program ended before the call began, whatever was decided about it. */
export const notBegun = 'Not run: the program ended before the call began.';

/** How a call that the sandbox stopped was to run again, and who decided: the user unless said otherwise. */
export interface SecondTry {
  readonly where: 'sandbox' | 'outside';
  readonly by?: 'review';
}

/** The sandbox stopped a command, and it was let run once more. What follows is of the second run. */
export function ranAgain({ where, by }: SecondTry): string {
  const how = where === 'outside' ? 'outside the sandbox' : 'with what it needed';
  return `The sandbox stopped this command, and ${decider(by)} let it run again ${how}. This is the second run.`;
}

/** The same, and it was not. What follows is of the only run. */
export function notRunAgain({ where, by }: SecondTry, note: string | undefined): string {
  const how = where === 'outside' ? 'run again outside of it' : 'reach the host that it wanted';
  const said = `The sandbox stopped this command, and ${decider(by)} did not let it ${how}.`;
  return by === 'review' && note !== undefined ? `${said} ${note}` : withWords(said, note);
}

function decider(by: SecondTry['by']): string {
  return by === 'review' ? 'the reviewer' : 'the user';
}

/** A command that failed outside the sandbox, under a policy that denies reading. */
export const stillConfined =
  'Outside the sandbox too, what is not readable stays closed, and looks as if it were missing or empty.';

export function toolFailed(why: string): string {
  return `The tool failed: ${why}`;
}
