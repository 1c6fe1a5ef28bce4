import type { KeptReview } from '../../../protocol/thread-event.ts';
import { defined } from '../../../base/objects.ts';
import { asItem, type Item, isMessage, type MessageItem, messageText } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { type ProviderName, readProviderName } from '../../../protocol/provider-name.ts';
import { repairUsage, noUsage, type Usage } from '../../../protocol/usage.ts';
import { readAuthor, turnsContinued, type UserInput } from '../../../protocol/user-input.ts';
import { filesChangedBesideFragment, filesPutBackFragment } from '../../fragments/events/files-and-images.ts';
import { recogniseFragment } from '../../world/recognise-fragments.ts';
import { readUserShellCommand } from '../../fragments/events/read-user-actions.ts';
import { subagentNotificationFragment } from '../../fragments/events/agents.ts';
import { turnContinuedFragment } from '../../fragments/events/turns-and-goals.ts';
import { contextMessage, userMessage } from '../../fragments/message-items.ts';
import { render } from '../../fragments/text/define-fragment.ts';
import type { AgentReport } from '../../../protocol/agent.ts';
import type { FilesChangedInSideConversation, RestoredFiles } from '../../../protocol/turn-item.ts';
import { readReport } from './agents.ts';
import { readChangedBeside } from '../drafts/workspace-lines.ts';
import { oneLine } from '../turns/turn-words.ts';
import { readPutBack } from './files-put-back.ts';

/**
 * A message that the thread has accepted and that has not entered history: a user's words, an item of a program, what
 * came of the work of an agent, or what happened to files beside the thread.
 */
export type WaitingMessage = { readonly id: string } & WaitingContent;

export type WaitingContent =
  | { readonly kind: 'words'; readonly input: UserInput }
  | {
      readonly kind: 'item';
      readonly item: Item;
      /** Of an item that only its maker can read: who answered when it was accepted. */
      readonly maker?: ProviderName;
      /** What the thread has cost with it. Absent: to make it cost nothing. Only its line says it. */
      readonly total?: Usage;
      /** The review of code that it tells of, for screens. Only its line says it. */
      readonly review?: KeptReview;
    }
  /** `total`: what the thread has cost with it. */
  | { readonly kind: 'agent'; readonly report: AgentReport; readonly total: Usage }
  /** `again`: a rollback or a fork left the turn in which it was told, but not the files. */
  | { readonly kind: 'files'; readonly files: RestoredFiles; readonly again?: true }
  | { readonly kind: 'beside'; readonly files: FilesChangedInSideConversation; readonly again?: true };

/** The same as its line says it: the seal proves that this home wrote the line. */
export type RecordedMessage = WaitingMessage & { readonly seal?: string };

/** What happened to files. It is so for every conversation about them, and does not go back with one. */
export type FilesMessage = Extract<RecordedMessage, { readonly kind: 'files' | 'beside' }>;

export function isAboutFiles(message: RecordedMessage): message is FilesMessage {
  return message.kind === 'files' || message.kind === 'beside';
}

/** How many messages may wait at once: each one that comes or goes is held against all of them. */
const mostWaiting = 5000;

/** Why no further message can wait, or undefined when one can. */
export function waitingProblem(waiting: readonly WaitingMessage[]): Outcome<'too-many-waiting'> | undefined {
  if (waiting.length < mostWaiting) return undefined;
  return {
    code: 'too-many-waiting',
    message: `${waiting.length} messages already wait for the next request of this thread, which is the limit.`,
    next: 'Send it again after the next request, or start a turn.',
  };
}

/**
 * Why a message leaves without entering history: the code of an outcome, or what was done to its thread. `unproven`: no
 * seal proves that this home accepted it.
 */
export type DroppedBecause = 'forked' | 'rolled-back' | 'unproven' | (string & {});

export function messageWaits(message: WaitingMessage): LineDraft {
  return { type: lineType.waiting, payload: stored(message) };
}

/** Words without an author are a user's, as in every file before authors were written. */
function stored(message: WaitingMessage): JsonObject {
  if (message.kind !== 'words' || message.input.author !== 'user') return message as unknown as JsonObject;
  const { author: _author, ...input } = message.input;
  return { ...message, input } as unknown as JsonObject;
}

/** What the thread has cost after a `capstan_waiting` line, where the line says so. */
export function totalIn(payload: JsonObject): Usage | undefined {
  const total = payload['kind'] === 'words' ? undefined : objectAt(payload, 'total');
  return total && repairUsage(total);
}

/** What a `capstan_waiting` line says about the work of an agent, if it does. */
export function reportIn(payload: JsonObject): AgentReport | undefined {
  const report = payload['kind'] === 'agent' ? objectAt(payload, 'report') : undefined;
  return report && readReport(report);
}

/** What a `capstan_waiting` line says about files that the user put back, if it does. */
export function putBackIn(payload: JsonObject): RestoredFiles | undefined {
  const files = payload['kind'] === 'files' ? objectAt(payload, 'files') : undefined;
  return files && readPutBack(files);
}

/** The same about files that a side conversation changed. */
export function changedBesideIn(payload: JsonObject): FilesChangedInSideConversation | undefined {
  const files = payload['kind'] === 'beside' ? objectAt(payload, 'files') : undefined;
  return files && readChangedBeside(files);
}

/** The same for one that is recorded a second time. It stays as proven as it was: an empty seal proves nothing. */
export function messageWaitsAgain({ seal = '', ...message }: RecordedMessage): LineDraft {
  return { type: lineType.waiting, payload: { ...stored(message), seal } };
}

/** What the seal of a message's line is made over. */
export function messageClaim(message: WaitingMessage): Json {
  const { id } = message;
  if (message.kind === 'item') {
    return [lineType.waiting, id, 'item', message.item, (message.maker ?? null) as unknown as Json];
  }
  if (message.kind === 'agent') return [lineType.waiting, id, 'agent', message.report as unknown as Json];
  if (message.kind === 'files' || message.kind === 'beside')
    return [lineType.waiting, id, message.kind, message.files as unknown as Json];
  const { author, text, images, unusableImages = null } = message.input;
  const claim = [lineType.waiting, id, 'words', text, images as unknown as Json, unusableImages as unknown as Json];
  return author === 'user' ? claim : [...claim, author];
}

export function messageDropped(id: string, because: DroppedBecause): LineDraft {
  return { type: lineType.waiting, payload: { id, dropped: because } };
}

/** The line that brings a message into history. It says which one, so that no message waits and stands at once. */
export function withEnteredMessage(line: LineDraft, id: string | undefined): LineDraft {
  if (id === undefined) return line;
  const capstan = { ...(line.metadata?.['capstan'] as JsonObject | undefined), waited: id };
  return { ...line, metadata: { ...line.metadata, capstan } };
}

/** What waits after a `capstan_waiting` line. A line that makes no sense, or says a message again, changes nothing. */
export function foldWaiting(waiting: readonly RecordedMessage[], payload: JsonObject): readonly RecordedMessage[] {
  const id = stringAt(payload, 'id');
  if (id === undefined) return waiting;
  if (payload['dropped'] !== undefined) return without(waiting, id);
  const message = readMessage(payload);
  if (message === undefined || waiting.length >= mostWaiting) return waiting;
  return waiting.some((each) => each.id === id) ? waiting : [...waiting, message];
}

/** What waits after a `response_item` line with this metadata. */
export function foldEntered(
  waiting: readonly RecordedMessage[],
  metadata: JsonObject | undefined,
): readonly RecordedMessage[] {
  if (waiting.length === 0 || metadata === undefined) return waiting;
  const id = stringAt(objectAt(metadata, 'capstan'), 'waited');
  return id === undefined ? waiting : without(waiting, id);
}

/** As a checkpoint carries it. */
export function readWaiting(carried: JsonObject): readonly RecordedMessage[] {
  return (arrayAt(carried, 'waiting') ?? []).filter(isJsonObject).reduce(foldWaiting, [] as readonly RecordedMessage[]);
}

/**
 * What still waits after a rollback: it waited at the place, and has neither entered history nor been dropped since.
 */
export function waitingAfterRollback(
  then: readonly RecordedMessage[],
  now: readonly WaitingMessage[],
): readonly RecordedMessage[] {
  return then.length === 0 ? then : then.filter(({ id }) => now.some((each) => each.id === id));
}

function without(waiting: readonly RecordedMessage[], id: string): readonly RecordedMessage[] {
  return waiting.some((each) => each.id === id) ? waiting.filter((each) => each.id !== id) : waiting;
}

/** A message as a line or a checkpoint says it. */
export function readMessage(payload: JsonObject): RecordedMessage | undefined {
  const [id, seal] = [stringAt(payload, 'id'), stringAt(payload, 'seal')];
  const content = readContent(payload);
  if (id === undefined || content === undefined) return undefined;
  return { id, ...content, ...(seal === undefined || seal === '' ? {} : { seal }) };
}

function readContent(payload: JsonObject): WaitingContent | undefined {
  if (payload['kind'] === 'item') {
    const item = asItem(payload['item']);
    const maker = readProviderName(payload['maker']);
    return item === undefined ? undefined : { kind: 'item', item, ...defined({ maker }) };
  }
  if (payload['kind'] === 'agent') {
    const report = reportIn(payload);
    return report && { kind: 'agent', report, total: totalIn(payload) ?? noUsage };
  }
  const again = payload['again'] === true ? { again: true as const } : {};
  const putBack = putBackIn(payload);
  if (putBack !== undefined) return { kind: 'files', files: putBack, ...again };
  const beside = changedBesideIn(payload);
  if (beside !== undefined) return { kind: 'beside', files: beside, ...again };
  const input = payload['kind'] === 'words' ? readInput(objectAt(payload, 'input')) : undefined;
  return input === undefined ? undefined : { kind: 'words', input };
}

function readInput(stored: JsonObject | undefined): UserInput | undefined {
  const text = stringAt(stored, 'text');
  if (text === undefined) return undefined;
  const images = (arrayAt(stored, 'images') ?? []).filter((value) => hasTexts(value, 'path', 'dataUrl'));
  const unusableImages = arrayAt(stored, 'unusableImages')?.filter(
    (value) => hasTexts(value, 'path') && hasTexts(value['problem'], 'code', 'message', 'next'),
  );
  const continues = turnsContinued.find((each) => each === stored?.['continues']);
  return {
    author: readAuthor(stored?.['author']),
    text,
    images,
    ...defined({ unusableImages, continues }),
  } as unknown as UserInput;
}

function hasTexts(value: Json | undefined, ...keys: readonly string[]): value is JsonObject {
  return isJsonObject(value) && keys.every((key) => stringAt(value, key) !== undefined);
}

/** What a message that waits becomes in history, but for its id. */
export function waitingItem(message: WaitingContent): Item {
  switch (message.kind) {
    case 'words': {
      const { continues } = message.input;
      if (continues === undefined) return userMessage('', message.input);
      const { role, text } = render(turnContinuedFragment, continues);
      return contextMessage('', role, [text]);
    }
    case 'agent': {
      const { role, text } = render(subagentNotificationFragment, notificationOf(message.report));
      return contextMessage('', role, [text]);
    }
    case 'files': {
      const { role, text } = render(filesPutBackFragment, message.files);
      return contextMessage('', role, [text]);
    }
    case 'beside': {
      const { role, text } = render(filesChangedBesideFragment, message.files);
      return contextMessage('', role, [text]);
    }
    case 'item':
      return message.item;
  }
}

/** What the model reads of a report. */
export function notificationOf({ path, status }: AgentReport) {
  return { agentPath: path, status };
}

/** The beginning of what was said, in one line; of what has no words, what it is. */
export function waitingWords(message: WaitingContent, characters: number): string {
  if (message.kind === 'words') {
    const { text, images } = message.input;
    return oneLine(text, characters) || (images.length > 0 ? '[Image]' : '(nothing)');
  }
  if (message.kind === 'agent') return `agent ${message.report.path}: ${message.report.status.kind}`;
  if (message.kind === 'files') return 'files were put back';
  if (message.kind === 'beside') return 'files were changed in a side conversation';
  const { item } = message;
  return (isMessage(item) ? oneLine(withoutMarkup(item), characters) : '') || `[${item.type}]`;
}

/** The text of a message as a person reads it: a command as it was typed, and context without its tags. */
function withoutMarkup(item: MessageItem): string {
  const text = messageText(item);
  const shell = readUserShellCommand(text);
  if (shell !== undefined) return `!${shell.command}`;
  return recogniseFragment(item.role, text) === undefined
    ? text
    : text.replaceAll(/<\/?[a-z][\w-]*(?: [^<>]*)?>/gi, ' ');
}
