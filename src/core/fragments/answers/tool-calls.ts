import { editDistance } from '../../../base/edit-distance.ts';
import type { ProcessSurvival } from '../../../ports/system.ts';
import type { Answer } from '../../../protocol/question.ts';

/** Answers to calls that no tool answered. */

/** The call was running when the program died; its effect is unknown (I3). */
export function outcomeUnknownText(
  survival: ProcessSurvival,
  {
    idempotent = false,
    waitedFor = [],
  }: { readonly idempotent?: boolean; readonly waitedFor?: readonly string[] } = {},
): string {
  const what = 'It may have been done in part, wholly or not at all, and it has not been repeated.';
  const waited =
    waitedFor.length === 0 ? '' : `It waited for the user's answer ${waitedFor.join(', ')}, and got none. `;
  const again = idempotent ? ' Calling it again does no harm.' : '';
  return `Outcome unknown: the program ended while this call was under way. ${found[survival]}${waited}${what}${again}`;
}

const found: Readonly<Record<ProcessSurvival, string>> = {
  gone: '',
  ended: 'Its process was still running when the thread was taken up again, and was ended then. ',
  running: 'Its process was still running when the thread was taken up again, and could not be ended. ',
};

/** The call was running when the thread was forked; the original thread gets its answer. */
export const outcomeInForkedThread =
  'Outcome unknown: this conversation was branched off while the call was under way. It may have been done in part, wholly or not at all, and it has not been repeated here.';

/** The answer that an agent reads to the call that started it. `others`: other calls were running at that time. */
export function startedThisAgentText({ others }: { readonly others: boolean }): string {
  const which = others ? 'This call, or one beside it, started you' : 'This call started you';
  return `${which}: you are an agent that begins with this conversation. The answer goes to the agent that made the call.`;
}

/** For a call that waited for the user's answer at the fork. */
export const notRunInForkedThread =
  'Not run: this conversation was branched off before the user answered whether it may run. It may run in the conversation that this one was branched from.';

/** The call has no answer, and the file does not say why. */
export const abortedCallText = 'aborted';
export const planUpdatedText = 'Plan updated';
const [mostNamed, longestName] = [5, 60];
/** Providers accept no longer name. */
const longestToolName = 64;
const shownTool = (name: string): string =>
  name.length > longestToolName ? `${name.slice(0, longestToolName)}…` : name;

/** The unknown name and the nearest known ones: a few hundred bytes. The model already has the full list. */
export function nearestTools(name: string, known: readonly string[]) {
  const wanted = shownTool(name).toLowerCase();
  // A missing or wrong server name counts as nearer than any typo.
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

export function unknownToolText(name: string, known: readonly string[]): string {
  const { quoted, nearest } = nearestTools(name, known);
  const unknown = `There is no tool named ${quoted}.`;
  if (known.length === 0) return `${unknown} No tools are offered.`;
  if (known.length <= mostNamed) return `${unknown} Tools: ${known.map(shownTool).join(', ')}.`;
  return `${unknown} The nearest of ${known.length} tools: ${nearest}.`;
}

export const badArgumentsText = (problem: string): string =>
  `The arguments were not accepted and nothing was done: ${problem}`;

/** Ends an answer to a call with arguments that its tool lacks. */
export function ignoredArgumentsText(names: readonly string[]): string {
  const named = names.slice(0, mostNamed).map((name) => JSON.stringify(name.slice(0, longestName)));
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `Ignored, because this tool has no such argument: ${named.join(', ')}${more}.`;
}

export const notRunText = (message: string, next: string): string => `Not run: ${message} ${next}`;

/** The reason alone, for displays that already say that the call did not run. */
export function refusalReason(answer: string): string {
  const reason = answer.replace(/^Not run: /, '');
  return reason === answer ? answer : reason.replace(/^[a-z]+(?=\s)/, sentenceStart);
}

const sentenceStart = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
export const sandboxRefusedAgain =
  'Not run: commands cannot be sandboxed here, as an earlier answer explains. Others would be refused too.';

/** Capstan decided about the call several times, and each time its folder had changed before it could begin. */
export const folderKeepsChanging =
  'Not run: other commands keep changing the folder that it would run in. Call it again when they have ended.';
export const workingFolderMissing = 'Not run: its working folder does not exist. Choose one that exists with workdir.';
export const declinedByUserText = (note: string | undefined): string =>
  withUserComment('Not run: the user declined it.', note);

/** Answers were prepared, but none covers this. `why`: why a question was needed. */
export function noPreparedAnswerText(
  why = 'It needs an approval.',
  next = 'Do without it, or tell the user what is needed.',
): string {
  return `Not run: no answer was prepared for this run that would allow it. ${why} ${next}`;
}

export const stoppedByUserText = (note: string | undefined): string =>
  withUserComment('Not run: the user declined it and stopped the turn.', note);

/** Precedes the result of a call that the user allowed with a comment. */
export const allowedWithCommentText = ({ by, note }: Answer): string | undefined =>
  by === undefined && hasWords(note) ? withUserComment('The user allowed it.', note) : undefined;
export const withUserComment = (said: string, note: string | undefined): string =>
  hasWords(note) ? `${said} The user says: ${note}` : said;
const hasWords = (note: string | undefined): boolean => note !== undefined && note.trim() !== '';

/** After the user's answer the question changed; or, with `why`, the call is no longer allowed. */
export function approvalNoLongerFitsText(why: string | undefined): string {
  const ended = 'Not run: the program ended before the call began, and';
  return why === undefined
    ? `${ended} what the user was asked about is no longer what it would do.`
    : `${ended} the call is no longer allowed: ${why}`;
}

export const interruptedWhileAsking = 'Not run: the turn was interrupted before the user answered whether it may run.';
export const interruptedBeforeAsking =
  'Not run: the turn was interrupted before the user could be asked whether it may run.';
export const interruptedBeforeRunning = 'Not run: the turn was interrupted before the call began.';
export const programEndedWhileAsking = 'Not run: the program ended before the user answered whether it may run.';
export const programEndedBeforeRunning = 'Not run: the program ended before the call began.';

/** A command failed outside the sandbox under a policy that denies reading. */
export const readingStillDenied =
  'Outside the sandbox too, what is not readable stays closed: opening it fails, mostly with "Permission denied".';
export const toolFailedText = (why: string): string => `The tool failed: ${why}`;
/** Why the client returned no answer. None of these is a refusal. */
export type ClientSilence = 'unreadable' | 'failed' | 'timed-out';

export const clientSilence: Readonly<Record<ClientSilence, string>> = {
  unreadable: 'The client did not answer the question in a form Capstan can read.',
  failed: 'The client failed to ask its user.',
  'timed-out': 'The client had no answer of its user in time.',
};

export const notAskedByClientText = (note = clientSilence.unreadable): string =>
  `Not run: no answer of the user reached Capstan. ${note} Do without it, or tell the user what is needed.`;

/** Undefined: the window size is unknown. */
export function contextLeftText(tokens: number | undefined): string {
  if (tokens === undefined) return 'How many tokens are left in this context window is not known.';
  return `You have ${Math.max(0, tokens)} tokens left in this context window.`;
}

export const newContextFollows =
  'A new context window starts after this step. What you know by then is compacted into a checkpoint, with the words of the user kept.';
