import { occasionalBudget } from '../../../core/envelope/window.ts';
import {
  filesChangedBesideFragment,
  filesPutBackFragment,
  imageResizeNoticeFragment,
  unusableImagesFragment,
} from '../../../core/fragments/events/files-and-images.ts';
import { subagentNotificationFragment } from '../../../core/fragments/events/agents.ts';
import { turnContinuedFragment } from '../../../core/fragments/events/turns-and-goals.ts';
import { userMessageItem } from '../../../core/fragments/message-items.ts';
import { type Fragment, renderFragment } from '../../../core/fragments/text/define-fragment.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { defined } from '../../../base/objects.ts';
import type { CallItem, Item } from '../../../protocol/item.ts';
import type { Json } from '../../../protocol/json.ts';
import { answerLine, itemCompletedLine, userLine, itemLine } from '../../../core/state/drafts/item-lines.ts';
import type { RefusedCallRecord } from '../../../core/state/drafts/item-lines.ts';
import { withEnteredMessage, notificationOf } from '../../../core/state/fold/waiting-messages.ts';
import { nonUserAuthor, type UserInput } from '../../../protocol/user-input.ts';
import type { CallResult } from '../../../adapters/tools/tool.ts';
import { contextWindowNow } from '../context/turn-contract.ts';
import { limitOutputToShare } from '../context/window-use.ts';
import type { InboxMessage } from '../inbox.ts';
import type { RecordingTurn, Turn } from '../thread-parts.ts';
import { recordNamedSkills, recordSkillHints } from './record-skills.ts';
import { recordEvent, recordDelayedEvent } from './record-context.ts';

/** `waited`: the id of the line by which the message waited, if it did. */
function recordUserMessage(turn: RecordingTurn, input: UserInput, waited: string | undefined): void {
  const { log, parts, turnId } = turn;
  const { images, unusableImages: unusable = [] } = input;
  // The words may mention missing pictures: the user and the model are informed before the words are read.
  if (unusable.length > 0) recordEvent(turn, unusableImagesFragment, { paths: unusable.map(({ path }) => path) });
  log.tell(...unusable.map(({ problem }) => ({ kind: 'warning', outcome: problem }) as const));
  const id = `msg_${parts.ids.uuid()}`;
  const item = userMessageItem(id, input);
  const line = userLine(item, { author: input.author, turn: turnId, number: log.state.turns });
  log.record(withEnteredMessage(line, waited));
  const resized = images.flatMap((each, at) => (each.resized ? [{ ...each.resized, number: at + 1 }] : []));
  if (resized.length > 0) recordEvent(turn, imageResizeNoticeFragment, { images: resized });
  const paths = images.map(({ path }) => path);
  recordTurnItem(turn, { kind: 'user-message', id: parts.ids.uuid(), text: input.text, images: paths });
  const author = nonUserAuthor(input.author);
  const event = { kind: 'context', turnId, itemId: id, content: 'plain', cause: 'user', text: input.text } as const;
  log.tell({ ...event, ...defined({ author }) });
}

type Refused = { readonly refused?: RefusedCallRecord };

/** Records the output of a call within the budget of one output. The part that does not fit is kept beside the line. */
export function recordCallOutput(
  turn: RecordingTurn,
  call: CallItem,
  { output, fullOutput, item: shown, refused }: Partial<CallResult> & Pick<CallResult, 'output'> & Refused,
  /** In tokens: the limit beside other outputs of its step. */
  share = Infinity,
): void {
  const { log, parts, turnId } = turn;
  const limited = limitOutputToShare(output, contextWindowNow(turn).toolOutput, share);
  const [type, prefix] =
    call.type === 'function_call' ? ['function_call_output', 'fco'] : ['custom_tool_call_output', 'ctco'];
  const item: Item = { type, id: `${prefix}_${parts.ids.uuid()}`, call_id: call.call_id, output: limited };
  const full = fullOutput ?? (limited === output ? undefined : textOf(output));
  const beside = full === undefined ? {} : { beside: { full_output: new TextEncoder().encode(full) } };
  const changed = shown?.kind === 'file-change' && shown.status === 'completed' ? shown.changes : [];
  log.record({ ...answerLine(item, turnId, { changed, ...defined({ refused }) }), ...beside });
}

const textOf = (output: CallResult['output']): string => (typeof output === 'string' ? output : JSON.stringify(output));

export function recordTurnItem({ log, parts, threadId, turnId }: RecordingTurn, item: TurnItem): void {
  log.record(itemCompletedLine({ threadId, turnId, at: parts.clock.now(), item }));
}

export function drainInbox(turn: Turn): void {
  for (const mail of turn.inbox.take()) recordInboxMessage(turn, mail);
}

export function recordInboxMessage(turn: Turn, mail: InboxMessage): void {
  const told = (fragment: Fragment, value: unknown): void =>
    recordDelayedEvent(turn, { fragment, value: value as Json }, mail.id);
  switch (mail.kind) {
    case 'words': {
      const { author, continues } = mail.input;
      if (continues !== undefined) return told(renderFragment(turnContinuedFragment, continues), continues);
      recordUserMessage(turn, mail.input, mail.id);
      if (author !== 'user') return;
      turn.memory.rounds.alone = false;
      recordNamedSkills(turn, mail.input);
      return recordSkillHints(turn, mail.input);
    }
    case 'agent': {
      const limit = occasionalBudget('agentReport', contextWindowNow(turn).effective);
      const value = notificationOf(mail.report);
      return told(renderFragment(subagentNotificationFragment, { ...value, limit }), value);
    }
    case 'files':
      return told(renderFragment(filesPutBackFragment, mail.files), mail.files);
    case 'beside':
      return told(renderFragment(filesChangedBesideFragment, mail.files), mail.files);
    case 'item': {
      const line = itemLine(mail.item, { family: 'client' }, turn.turnId, mail.maker);
      return turn.log.record(withEnteredMessage(line, mail.id));
    }
  }
}
