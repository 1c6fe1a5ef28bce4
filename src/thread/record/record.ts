import { occasionalBudget } from '../../envelope/context-shares.ts';
import { filesChangedBesideFragment } from '../../fragments/events/files-changed-beside.ts';
import { filesPutBackFragment } from '../../fragments/events/files-put-back.ts';
import { subagentNotificationFragment } from '../../fragments/events/subagent-notification.ts';
import { turnContinuedFragment } from '../../fragments/events/turn-continued.ts';
import { userMessage } from '../../fragments/message.ts';
import { imageResizeNoticeFragment } from '../../fragments/events/image-resize-notice.ts';
import { unusableImagesFragment } from '../../fragments/events/unusable-images.ts';
import { render } from '../../fragments/text/define.ts';
import type { AgentReport } from '../../protocol/agent.ts';
import type { FilesChangedBeside } from '../../protocol/files-changed-beside.ts';
import type { FilesPutBack } from '../../protocol/files-put-back.ts';
import { defined } from '../../protocol/defined.ts';
import type { CallItem, Item } from '../../protocol/item.ts';
import type { Json } from '../../protocol/json.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import { answerLine, type RefusedCallRecord, itemCompleted, userLine, itemLine } from '../../state/item-drafts.ts';
import { entering, notificationOf } from '../../state/waiting.ts';
import {
  otherAuthor,
  type TurnContinued,
  type UnusableImage,
  type UserImage,
  type UserInput,
} from '../../protocol/user-input.ts';
import type { CallResult } from '../../tools/define.ts';
import { windowNow } from '../contract/contract-now.ts';
import { limitToShare } from '../contract/output-share.ts';
import type { Mail } from '../parts/inbox.ts';
import type { RecordingTurn, Turn } from '../parts/parts.ts';
import { recordNamedSkills } from './named-skills.ts';
import { recordEvent, recordWaited } from './record-context.ts';
import { recordSkillHints } from './skill-hints.ts';

/** Ways in which an item enters history. Each records its origin with it. */

/** `waited`: the name of the line by which the message waited, if it did. */
function recordUserMessage(turn: RecordingTurn, input: UserInput, waited: string | undefined): void {
  const { log, parts, turnId } = turn;
  recordUnusableImages(turn, input.unusableImages ?? []);
  const id = `msg_${parts.ids.uuid()}`;
  const item = userMessage(id, input);
  log.record(entering(userLine(item, { author: input.author, turn: turnId, number: log.state.turns }), waited));
  recordResizedImages(turn, input.images);
  const paths = input.images.map(({ path }) => path);
  recordTurnItem(turn, { kind: 'user-message', id: parts.ids.uuid(), text: input.text, images: paths });
  const author = otherAuthor(input.author);
  const event = { kind: 'context', turnId, itemId: id, content: 'plain', cause: 'user', text: input.text } as const;
  log.tell({ ...event, ...defined({ author }) });
}

/** The words may speak of pictures that are not there: both sides know it before they are read. */
function recordUnusableImages(turn: RecordingTurn, unusable: readonly UnusableImage[]): void {
  if (unusable.length === 0) return;
  recordEvent(turn, unusableImagesFragment, { paths: unusable.map(({ path }) => path) });
  turn.log.tell(...unusable.map(({ problem }) => ({ kind: 'warning', outcome: problem }) as const));
}

function recordResizedImages(turn: RecordingTurn, all: readonly UserImage[]): void {
  const images = all.flatMap(({ resized }, at) => (resized === undefined ? [] : [{ ...resized, number: at + 1 }]));
  if (images.length > 0) recordEvent(turn, imageResizeNoticeFragment, { images });
}

interface RecordedResult extends Pick<CallResult, 'output' | 'fullOutput'>, Partial<Pick<CallResult, 'item'>> {
  /** It was not run. */
  readonly refused?: RefusedCallRecord;
}

/**
 * The answer to a call, of the type that the call asks for and within the budget of one output. What did not fit is
 * kept beside the line.
 */
export function recordAnswer(
  turn: RecordingTurn,
  call: CallItem,
  { output, fullOutput, item: shown, refused }: RecordedResult,
  /** In tokens: what it may weigh beside the other outputs of its step. */
  share = Infinity,
): void {
  const { log, parts, turnId } = turn;
  const limited = limitToShare(output, windowNow(turn).toolOutput, share);
  const [type, prefix] =
    call.type === 'function_call' ? ['function_call_output', 'fco'] : ['custom_tool_call_output', 'ctco'];
  const item: Item = { type, id: `${prefix}_${parts.ids.uuid()}`, call_id: call.call_id, output: limited };
  const full = fullOutput ?? (limited === output ? undefined : textOf(output));
  const beside = full === undefined ? {} : { beside: { full_output: new TextEncoder().encode(full) } };
  const changed = shown?.kind === 'file-change' && shown.status === 'completed' ? shown.changes : [];
  log.record({ ...answerLine(item, turnId, { changed, ...defined({ refused }) }), ...beside });
}

function textOf(output: CallResult['output']): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** The record from which lists and screens are made. */
export function recordTurnItem({ log, parts, threadId, turnId }: RecordingTurn, item: TurnItem): void {
  log.record(itemCompleted({ threadId, turnId, at: parts.clock.now(), item }));
}

/** What arrived meanwhile enters history, in the order in which it came. */
export function drainInbox(turn: Turn): void {
  for (const mail of turn.inbox.take()) recordMail(turn, mail);
}

export function recordMail(turn: Turn, mail: Mail): void {
  if (mail.kind === 'words' && mail.input.continues !== undefined) recordContinued(turn, mail.input.continues, mail.id);
  else if (mail.kind === 'words') {
    recordUserMessage(turn, mail.input, mail.id);
    if (mail.input.author !== 'user') return;
    turn.memory.rounds.alone = false;
    recordNamedSkills(turn, mail.input);
    recordSkillHints(turn, mail.input);
  } else if (mail.kind === 'agent') recordReport(turn, mail.report, mail.id);
  else if (mail.kind === 'files') recordPutBack(turn, mail.files, mail.id);
  else if (mail.kind === 'beside') recordBeside(turn, mail.files, mail.id);
  else turn.log.record(entering(itemLine(mail.item, { family: 'client' }, turn.turnId, mail.maker), mail.id));
}

function recordReport(turn: Turn, report: AgentReport, waited: string | undefined): void {
  const limit = occasionalBudget('agentReport', windowNow(turn).effective);
  const value = notificationOf(report);
  recordWaited(turn, { fragment: render(subagentNotificationFragment, { ...value, limit }), value }, waited);
}

function recordContinued(turn: Turn, why: TurnContinued, waited: string | undefined): void {
  recordWaited(turn, { fragment: render(turnContinuedFragment, why), value: why }, waited);
}

function recordPutBack(turn: Turn, files: FilesPutBack, waited: string | undefined): void {
  recordWaited(turn, { fragment: render(filesPutBackFragment, files), value: files as unknown as Json }, waited);
}

function recordBeside(turn: Turn, files: FilesChangedBeside, waited: string | undefined): void {
  recordWaited(turn, { fragment: render(filesChangedBesideFragment, files), value: files as unknown as Json }, waited);
}
