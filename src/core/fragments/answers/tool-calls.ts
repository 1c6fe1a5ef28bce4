import { editDistance } from '../../../base/edit-distance.ts';
import type { Survival } from '../../../ports/system.ts';
import type { Answer } from '../../../protocol/question.ts';

/** Answers to calls that no tool gave an answer to. */

/** The call was under way when the program died: what it did is unknown (I3). */
export function outcomeUnknown(
  survival: Survival,
  {
    idempotent = false,
    waitedFor = [],
  }: { readonly idempotent?: boolean; readonly waitedFor?: readonly string[] } = {},
): string {
  const what = 'It may have been done in part, wholly or not at all, and it has not been repeated.';
  // What was asked while it ran ended with the program.
  const waited =
    waitedFor.length === 0 ? '' : `It waited for the user's answer ${waitedFor.join(', ')}, and got none. `;
  const again = idempotent ? ' Calling it again does no harm.' : '';
  return `Outcome unknown: the program ended while this call was under way. ${found[survival]}${waited}${what}${again}`;
}

const found: Readonly<Record<Survival, string>> = {
  gone: '',
  ended: 'Its process was still running when the thread was taken up again, and was ended then. ',
  running: 'Its process was still running when the thread was taken up again, and could not be ended. ',
};

/** The call was under way when the thread was forked, and is answered in the thread that it was forked from. */
export const outcomeInForkedThread =
  'Outcome unknown: this conversation was branched off while the call was under way. It may have been done in part, wholly or not at all, and it has not been repeated here.';

/** The same of a call that started an agent, as that agent reads it. `others`: such calls were under way beside it. */
export function startedThisAgent({ others }: { readonly others: boolean }): string {
  const which = others ? 'This call, or one beside it, started you' : 'This call started you';
  return `${which}: you are an agent that begins with this conversation. The answer goes to the agent that made the call.`;
}

/** The same of a call that waited for the user's answer. */
export const notRunInForkedThread =
  'Not run: this conversation was branched off before the user answered whether it may run. It may run in the conversation that this one was branched from.';

/** The call was never answered, in a file that says no more about it. */
export const abortedCall = 'aborted';

export const planUpdated = 'Plan updated';

const [mostNamed, longestName] = [5, 60];

/** Providers take no longer one. */
const longestToolName = 64;

function shownTool(name: string): string {
  return name.length > longestToolName ? `${name.slice(0, longestToolName)}…` : name;
}

/**
 * The name that no tool has, and the nearest that have one: a few hundred bytes, however many tools there are. The model
 * has their list already.
 */
export function nearestTools(name: string, known: readonly string[]) {
  const wanted = shownTool(name).toLowerCase();
  // A name without its server, or with a wrong one, is nearer than any slip of the pen.
  const distance = (tool: string): number => {
    const [a, b] = [wanted.split('__').at(-1) ?? '', tool.split('__').at(-1) ?? ''];
    const isPart = a !== '' && b !== '' && (a.includes(b) || b.includes(a));
    return isPart ? Math.abs(a.length - b.length) / 1000 : editDistance(wanted, tool);
  };
  const sorted = known
    .map(shownTool)
    .map((tool) => ({ tool, distance: distance(tool.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const nearest = sorted.slice(0, mostNamed).map(({ tool }) => tool);
  return { quoted: JSON.stringify(shownTool(name)), nearest: nearest.join(', ') };
}

export function unknownTool(name: string, known: readonly string[]): string {
  const { quoted, nearest } = nearestTools(name, known);
  const unknown = `There is no tool named ${quoted}.`;
  if (known.length === 0) return `${unknown} No tools are offered.`;
  if (known.length <= mostNamed) return `${unknown} Tools: ${known.map(shownTool).join(', ')}.`;
  return `${unknown} The nearest of ${known.length} tools: ${nearest}.`;
}

export function badArguments(problem: string): string {
  return `The arguments were not accepted and nothing was done: ${problem}`;
}

/** Stands at the end of an answer: the call had arguments that its tool does not have. */
export function ignoredArguments(names: readonly string[]): string {
  const named = names.slice(0, mostNamed).map((name) => JSON.stringify(name.slice(0, longestName)));
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `Ignored, because this tool has no such argument: ${named.join(', ')}${more}.`;
}

export function refusedCall(message: string, next: string): string {
  return `Not run: ${message} ${next}`;
}

/** The reason in such an answer, where what shows it says itself that the call did not run. */
export function refusalReason(answer: string): string {
  const reason = answer.replace(/^Not run: /, '');
  return reason === answer ? answer : reason.replace(/^[a-z]+(?=\s)/, sentenceStart);
}

function sentenceStart(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** The reason is long, and the same for every command. */
export const sandboxRefusedAgain =
  'Not run: commands cannot be sandboxed here, as an earlier answer explains. Others would be refused too.';

/** What its permission depends on was another each time that it was about to begin. */
export const folderKeepsChanging =
  'Not run: other commands keep changing the folder that it would run in. Call it again when they have ended.';

/** It may leave the sandbox, and the folder that it was to start in does not exist. */
export const workingFolderMissing = 'Not run: its working folder does not exist. Choose one that exists with workdir.';

/** The user was asked and said no. */
export function declinedByUser(note: string | undefined): string {
  return withUserWords('Not run: the user declined it.', note);
}

/** The answers were prepared, and none is about this. `why`: why it was asked about. */
export function noPreparedAnswer(
  why = 'It needs an approval.',
  next = 'Do without it, or tell the user what is needed.',
): string {
  return `Not run: no answer was prepared for this run that would allow it. ${why} ${next}`;
}

/** The user was asked, said no, and the turn ends with it. */
export function stoppedByUser(note: string | undefined): string {
  return withUserWords('Not run: the user declined it and stopped the turn.', note);
}

/** What the model reads before the result of a call that the user allowed with words for it. */
export function allowedWithWords({ by, note }: Answer): string | undefined {
  return by === undefined && hasWords(note) ? withUserWords('The user allowed it.', note) : undefined;
}

export function withUserWords(said: string, note: string | undefined): string {
  return hasWords(note) ? `${said} The user says: ${note}` : said;
}

function hasWords(note: string | undefined): boolean {
  return note !== undefined && note.trim() !== '';
}

/** The user was asked, and what would be asked now is something else; or, by `why`, the call is not allowed any more. */
export function approvalNoLongerFits(why: string | undefined): string {
  const ended = 'Not run: the program ended before the call began, and';
  return why === undefined
    ? `${ended} what the user was asked about is no longer what it would do.`
    : `${ended} the call is no longer allowed: ${why}`;
}

/** The user was asked, and the turn was interrupted before an answer came. */
export const interruptedWhileAsking = 'Not run: the turn was interrupted before the user answered whether it may run.';

/** The turn was interrupted before the question was put to the user. */
export const interruptedBeforeAsking =
  'Not run: the turn was interrupted before the user could be asked whether it may run.';

/** The user allowed it, and the turn was interrupted before it was its turn to begin. */
export const interruptedBeforeRunning = 'Not run: the turn was interrupted before the call began.';

/** The user was asked, and the program ended before an answer came. */
export const programEndedWhileAsking = 'Not run: the program ended before the user answered whether it may run.';

/** The program ended before the call began, whatever was decided about it. */
export const programEndedBeforeRunning = 'Not run: the program ended before the call began.';

/** A command that failed outside the sandbox, under a policy that denies reading. */
export const readingStillDenied =
  'Outside the sandbox too, what is not readable stays closed: opening it fails, mostly with "Permission denied".';

export function toolFailed(why: string): string {
  return `The tool failed: ${why}`;
}

/** Why there is no word of the user: the program that was to ask failed to bring one. It is no one's no. */
export type ClientSilence = 'unreadable' | 'failed' | 'timed-out';

/** The note of such an answer, for the model. */
export const clientSilence: Readonly<Record<ClientSilence, string>> = {
  unreadable: 'The client did not answer the question in a form Capstan can read.',
  failed: 'The client failed to ask its user.',
  'timed-out': 'The client had no answer of its user in time.',
};

/** The call was to be asked about, and no answer of the user came through. */
export function notAskedByClient(note = clientSilence.unreadable): string {
  return `Not run: no answer of the user reached Capstan. ${note} Do without it, or tell the user what is needed.`;
}

/** Undefined: the size of the window is not known. */
export function contextLeft(tokens: number | undefined): string {
  if (tokens === undefined) return 'How many tokens are left in this context window is not known.';
  return `You have ${Math.max(0, tokens)} tokens left in this context window.`;
}

export const newContextFollows =
  'A new context window starts after this step. What you know by then is compacted into a checkpoint, with the words of the user kept.';
