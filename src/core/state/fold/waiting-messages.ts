import type { KeptReview } from '../../../protocol/thread-event.ts';
import { defined } from '../../../base/objects.ts';
import { asItem, type Item, isMessage, type MessageItem, messageText } from '../../../protocol/item.ts';
import { arrayAt, hasTexts, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { type ProviderName, readProviderName } from '../../../protocol/provider-name.ts';
import { repairUsage, noUsage, type Usage } from '../../../protocol/usage.ts';
import { readAuthor, continuationReasons, type UserInput } from '../../../protocol/user-input.ts';
import { filesChangedBesideFragment, filesPutBackFragment } from '../../fragments/events/files-and-images.ts';
import { recogniseFragment } from '../../world/recognise-fragments.ts';
import { parseUserShellCommand } from '../../fragments/events/user-actions.ts';
import { subagentNotificationFragment } from '../../fragments/events/agents.ts';
import { turnContinuedFragment } from '../../fragments/events/turns-and-goals.ts';
import { contextMessageItem, userMessageItem } from '../../fragments/message-items.ts';
import { renderFragment } from '../../fragments/text/define-fragment.ts';
import type { AgentReport } from '../../../protocol/agent.ts';
import type { FilesChangedInSideConversation, RestoredFiles } from '../../../protocol/turn-item.ts';
import { readAgentReport } from './agents.ts';
import { readSideConversationChanges } from '../drafts/workspace-lines.ts';
import { toOneLine } from '../turns/turn-words.ts';
import { readRestoredFiles } from './files-put-back.ts';

/** An accepted message that is not in history: words, an item of a program, an agent's result, or changed files. */
export type WaitingMessage = { readonly id: string } & WaitingContent;

export type WaitingContent =
  | { readonly kind: 'words'; readonly input: UserInput }
  | {
      readonly kind: 'item';
      readonly item: Item;
      /** For an item that only its maker can read: the provider when the thread accepted the message. */
      readonly maker?: ProviderName;
      /** Cost of the thread including this message. Absent: the message cost nothing. Only its line has it. */
      readonly total?: Usage;
      /** The code review that it reports, for screens. Only its line has it. */
      readonly review?: KeptReview;
    }
  | { readonly kind: 'agent'; readonly report: AgentReport; readonly total: Usage }
  /** `again`: a rollback or a fork dropped the turn that reported the change, but the files stay changed. */
  | { readonly kind: 'files'; readonly files: RestoredFiles; readonly again?: true }
  | { readonly kind: 'beside'; readonly files: FilesChangedInSideConversation; readonly again?: true };

/** The seal proves that this home wrote the line. */
export type RecordedWaitingMessage = WaitingMessage & { readonly seal?: string };
/** A change of files. It concerns every conversation about them; undoing a conversation does not undo it. */
export type FilesMessage = Extract<RecordedWaitingMessage, { readonly kind: 'files' | 'beside' }>;

export const isAboutFiles = (message: RecordedWaitingMessage): message is FilesMessage =>
  message.kind === 'files' || message.kind === 'beside';

/** Limit of waiting messages: each arrival or departure is compared with all of them. */
const mostWaiting = 5000;

export function tooManyWaitingProblem(waiting: readonly WaitingMessage[]): Outcome<'too-many-waiting'> | undefined {
  if (waiting.length < mostWaiting) return undefined;
  const message = `${waiting.length} messages already wait for the next request of this thread, which is the limit.`;
  return { code: 'too-many-waiting', message, next: 'Send it again after the next request, or start a turn.' };
}

/** Code of an outcome, or the action on its thread. `unproven`: no seal proves that this home accepted the message. */
export type DroppedBecause = 'forked' | 'rolled-back' | 'unproven' | (string & {});

export function waitingMessageLine(message: WaitingMessage): LineDraft {
  return { type: lineType.waiting, payload: stored(message) };
}

/** Words without an author are the user's, as in all files from before authors were written. */
function stored(message: WaitingMessage): JsonObject {
  if (message.kind !== 'words' || message.input.author !== 'user') return message as unknown as JsonObject;
  const { author: _author, ...input } = message.input;
  return { ...message, input } as unknown as JsonObject;
}

export function threadTotalIn(payload: JsonObject): Usage | undefined {
  const total = payload['kind'] === 'words' ? undefined : objectAt(payload, 'total');
  return total && repairUsage(total);
}

/** Reads the content of a `capstan_waiting` line of one kind. */
function contentReader<Content>(kind: WaitingContent['kind'], key: string, read: (stored: JsonObject) => Content) {
  return (payload: JsonObject): Content | undefined => {
    const stored = payload['kind'] === kind ? objectAt(payload, key) : undefined;
    return stored && read(stored);
  };
}

export const agentReportIn = contentReader('agent', 'report', readAgentReport);
export const restoredFilesIn = contentReader('files', 'files', readRestoredFiles);
export const sideConversationChangesIn = contentReader('beside', 'files', readSideConversationChanges);
const wordsIn = contentReader('words', 'input', readInput);

/** Records a message again, with its seal or an empty one, which proves nothing. */
export function waitingMessageLineAgain({ seal = '', ...message }: RecordedWaitingMessage): LineDraft {
  return { type: lineType.waiting, payload: { ...stored(message), seal } };
}

export const messageSealContent = (message: WaitingMessage): Json => [
  lineType.waiting,
  message.id,
  message.kind,
  ...(claimedContent(message) as unknown as readonly Json[]),
];

function claimedContent(message: WaitingMessage): readonly unknown[] {
  if (message.kind === 'item') return [message.item, message.maker ?? null];
  if (message.kind === 'agent') return [message.report];
  if (message.kind !== 'words') return [message.files];
  const { author, text, images, unusableImages = null } = message.input;
  return [text, images, unusableImages, ...(author === 'user' ? [] : [author])];
}

export function messageDroppedLine(id: string, because: DroppedBecause): LineDraft {
  return { type: lineType.waiting, payload: { id, dropped: because } };
}

/** Brings a message into history. The line names it, so that no message both waits and is in history. */
export function withEnteredMessage(line: LineDraft, id: string | undefined): LineDraft {
  if (id === undefined) return line;
  const capstan = { ...(line.metadata?.['capstan'] as JsonObject | undefined), waited: id };
  return { ...line, metadata: { ...line.metadata, capstan } };
}

/** Folds a `capstan_waiting` line. An invalid or repeated one changes nothing. */
export function foldWaiting(
  waiting: readonly RecordedWaitingMessage[],
  payload: JsonObject,
): readonly RecordedWaitingMessage[] {
  const id = stringAt(payload, 'id');
  if (id === undefined) return waiting;
  if (payload['dropped'] !== undefined) return without(waiting, id);
  const message = readWaitingMessage(payload);
  if (message === undefined || waiting.length >= mostWaiting) return waiting;
  return waiting.some((each) => each.id === id) ? waiting : [...waiting, message];
}

type Waiting = readonly RecordedWaitingMessage[];

export function foldEntered(waiting: Waiting, metadata: JsonObject | undefined): Waiting {
  if (waiting.length === 0 || metadata === undefined) return waiting;
  const id = stringAt(objectAt(metadata, 'capstan'), 'waited');
  return id === undefined ? waiting : without(waiting, id);
}

export const waitingMessagesFromJson = (carried: JsonObject): readonly RecordedWaitingMessage[] =>
  objectsAt(carried, 'waiting').reduce(foldWaiting, [] as readonly RecordedWaitingMessage[]);

/** Messages that waited at the place of a rollback, and have neither entered history nor been dropped since. */
export const waitingAfterRollback = (then: Waiting, now: readonly WaitingMessage[]): Waiting =>
  then.length === 0 ? then : then.filter(({ id }) => now.some((each) => each.id === id));

const without = (waiting: readonly RecordedWaitingMessage[], id: string): readonly RecordedWaitingMessage[] =>
  waiting.some((each) => each.id === id) ? waiting.filter((each) => each.id !== id) : waiting;

export function readWaitingMessage(payload: JsonObject): RecordedWaitingMessage | undefined {
  const [id, seal] = [stringAt(payload, 'id'), stringAt(payload, 'seal')];
  const content = readContent(payload);
  if (id === undefined || content === undefined) return undefined;
  return { id, ...content, ...(seal ? { seal } : {}) };
}

function readContent(payload: JsonObject): WaitingContent | undefined {
  if (payload['kind'] === 'item') {
    const item = asItem(payload['item']);
    const maker = readProviderName(payload['maker']);
    return item === undefined ? undefined : { kind: 'item', item, ...defined({ maker }) };
  }
  if (payload['kind'] === 'agent') {
    const report = agentReportIn(payload);
    return report && { kind: 'agent', report, total: threadTotalIn(payload) ?? noUsage };
  }
  const again = payload['again'] === true ? { again: true as const } : {};
  const putBack = restoredFilesIn(payload);
  if (putBack !== undefined) return { kind: 'files', files: putBack, ...again };
  const beside = sideConversationChangesIn(payload);
  if (beside !== undefined) return { kind: 'beside', files: beside, ...again };
  const input = wordsIn(payload);
  return input && { kind: 'words', input };
}

function readInput(stored: JsonObject): UserInput | undefined {
  const text = stringAt(stored, 'text');
  if (text === undefined) return undefined;
  const images = (arrayAt(stored, 'images') ?? []).filter((value) => hasTexts(value, 'path', 'dataUrl'));
  const unusableImages = arrayAt(stored, 'unusableImages')?.filter(
    (value) => hasTexts(value, 'path') && hasTexts(value['problem'], 'code', 'message', 'next'),
  );
  const continues = continuationReasons.find((each) => each === stored['continues']);
  const author = readAuthor(stored['author']);
  return { author, text, images, ...defined({ unusableImages, continues }) } as unknown as UserInput;
}

export function waitingItem(message: WaitingContent): Item {
  if (message.kind === 'item') return message.item;
  if (message.kind === 'words' && message.input.continues === undefined) return userMessageItem('', message.input);
  const { role, text } = renderedMessage(message);
  return contextMessageItem('', role, [text]);
}

function renderedMessage(message: Exclude<WaitingContent, { readonly kind: 'item' }>) {
  switch (message.kind) {
    case 'words':
      return renderFragment(turnContinuedFragment, message.input.continues!);
    case 'agent':
      return renderFragment(subagentNotificationFragment, notificationOf(message.report));
    case 'files':
      return renderFragment(filesPutBackFragment, message.files);
    case 'beside':
      return renderFragment(filesChangedBesideFragment, message.files);
  }
}

export const notificationOf = ({ path, status }: AgentReport) => ({ agentPath: path, status });

export function waitingWords(message: WaitingContent, characters: number): string {
  if (message.kind === 'words') {
    const { text, images } = message.input;
    return toOneLine(text, characters) || (images.length > 0 ? '[Image]' : '(nothing)');
  }
  if (message.kind === 'agent') return `agent ${message.report.path}: ${message.report.status.kind}`;
  if (message.kind === 'files') return 'files were put back';
  if (message.kind === 'beside') return 'files were changed in a side conversation';
  const { item } = message;
  return (isMessage(item) ? toOneLine(withoutMarkup(item), characters) : '') || `[${item.type}]`;
}

/** Text for people: a command as typed, and context without its tags. */
function withoutMarkup(item: MessageItem): string {
  const text = messageText(item);
  const shell = parseUserShellCommand(text);
  if (shell !== undefined) return `!${shell.command}`;
  return recogniseFragment(item.role, text) === undefined
    ? text
    : text.replaceAll(/<\/?[a-z][\w-]*(?: [^<>]*)?>/gi, ' ');
}
