import { sandboxNotices } from '../../ports/sandbox.ts';
import { outcomeText, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import type { Usage } from '../../protocol/usage.ts';
import { printFailure, print, printNote } from '../views/terminal/print.ts';
import { stoppedAtOnceNote } from '../views/terminal/process.ts';
import type { StatusScreen } from '../views/terminal/screen.ts';
import { failedCheckpointLine } from '../views/wording/checkpoint-words.ts';
import { usageForPrograms } from '../views/wording/cost-words.ts';
import { type ExecItem, execItem, refusedItem } from '../views/wording/json-fields.ts';
import { execContextEvent, execQuestion, isContextNews, showContextNews } from './context-and-question-events.ts';
import type { ExecContextEvent, ExecQuestionEvent } from './context-and-question-events.ts';
import { Announcement, HeldBackOutput, type ExecPrinter } from './output.ts';

type JsonOptions = { readonly context: boolean; readonly verbose: boolean; recordIfNews(outcome: Outcome): boolean };

/** Prints one JSON event per line on standard output, and nothing else there. */
export function jsonOutput(screen: StatusScreen, { context, verbose, recordIfNews }: JsonOptions): ExecPrinter {
  const toExecEvents = execEvents({ context });
  let told = false;
  const printAll = (events: readonly (ExecEvent | ExecContextEvent)[]): void => {
    for (const event of events) {
      if (!told || event.type !== 'turn.failed') print(`${JSON.stringify(event)}\n`, 'json');
    }
  };
  // If events and questions share a screen, Capstan would print events into a question.
  const isShared = process.stdout.isTTY && process.stderr.isTTY;
  const held = new HeldBackOutput(() => {});
  const announcement = new Announcement(printNote, printNote, { verbose });
  return {
    start: (opened) => announcement.opened(opened),
    notice: (outcome) => announcement.notice(outcomeText(outcome)),
    show: (...spans) => screen.note(...spans),
    typing: (text) => screen.typing(text),
    event(event) {
      if (event.kind === 'thread-started') announcement.started();
      const say = (): void => {
        if (event.kind === 'warning' && isNote(event.outcome) && recordIfNews(event.outcome))
          printNote(outcomeText(event.outcome));
        showContextNews(screen, event, verbose);
        printAll(toExecEvents(event));
      };
      held.before(event);
      held.printAll(say);
      if (isShared) held.after(event);
    },
    lost(fault) {
      held.release();
      announcement.end();
      printAll(failedTurn(fault));
      // On standard error, too: the lost disk may be the one that the events go to.
      printFailure(fault, 1);
    },
    endedAtOnce: () => printNote(stoppedAtOnceNote),
    toldToEnd: () => void (told = true),
  };
}

/** One line of `exec --json`. The names are a contract with programs. */
export type ExecEvent =
  | { readonly type: 'thread.started'; readonly thread_id: string }
  | { readonly type: 'turn.started' }
  | { readonly type: 'item.started' | 'item.updated' | 'item.completed'; readonly item: ExecItem }
  | { readonly type: 'turn.completed'; readonly usage: ExecUsage }
  | { readonly type: 'turn.failed'; readonly error: { readonly message: string } }
  | { readonly type: 'error'; readonly message: string }
  | ExecQuestionEvent;

type ExecUsage = Readonly<Omit<ReturnType<typeof usageForPrograms>, 'total_tokens'>>;

/** Turns engine events into `exec` events. Items are numbered in order of first appearance, per process. */
export function execEvents({ context = false } = {}) {
  const numbers = new Map<string, string>();
  let count = 0;
  let isContinued = false;
  const nextId = (): string => `item_${count++}`;
  const numbered = (item: TurnItem): string => {
    const key = `${item.kind} ${item.id}`;
    const known = numbers.get(key) ?? nextId();
    numbers.set(key, known);
    return known;
  };
  const shown = (type: 'item.started' | 'item.updated' | 'item.completed', item: TurnItem): readonly ExecEvent[] =>
    item.kind === 'user-message' || item.kind === 'image-view' ? [] : [{ type, item: execItem(item, numbered(item)) }];
  const warned = (message: string): ExecEvent => {
    return { type: 'item.completed', item: { id: nextId(), type: 'error', message } };
  };
  return (event: ThreadEvent): readonly (ExecEvent | ExecContextEvent)[] => {
    if (isContextNews(event)) {
      // Programs that do not read context events must still learn of a failed checkpoint, since an overflow may follow.
      const failed = event.kind === 'checkpoint-failed' ? [warned(failedCheckpointLine(event))] : [];
      return context ? [execContextEvent(event), ...failed] : failed;
    }
    switch (event.kind) {
      case 'thread-started':
        return [{ type: 'thread.started', thread_id: event.threadId }];
      case 'call-refused': {
        const refused = event.item && refusedItem(event.item, event.reason);
        return refused === undefined ? [] : shown('item.completed', refused);
      }
      case 'question-asked':
      case 'question-answered':
        return [execQuestion(event)];
      case 'turn-started': {
        // A turn continued by another model is one turn to readers, with one start and one end.
        const isNew = !isContinued;
        isContinued = false;
        return isNew ? [{ type: 'turn.started' }] : [];
      }
      case 'item-started':
      case 'item-updated':
      case 'item-completed':
        return shown(event.kind.replace('-', '.') as 'item.started', event.item);
      case 'warning':
        // Codex passes such an answer on without comment, and readers of its SDK count items.
        if (event.outcome.code === 'answer-unfit')
          return context ? [{ type: 'context.warning', ...event.outcome }] : [];
        return isNote(event.outcome) ? [] : [warned(outcomeText(event.outcome))];
      case 'retrying':
        return event.beforeAnswer === true ? [] : [{ type: 'error', message: event.outcome.message }];
      case 'turn-completed':
        return [{ type: 'turn.completed', usage: execUsage(event.usage) }];
      case 'turn-failed':
        isContinued = event.continuedBy !== undefined;
        return isContinued ? [failure(event.outcome)] : failedTurn(event.outcome);
      case 'turn-aborted':
        return ended('The turn was interrupted.');
      case 'turn-suspended':
        return ended('The turn waits for an answer.');
      case 'code-reviewed':
      case 'hook-started':
      case 'hook-completed':
      case 'checkpoint-stage':
        return [];
    }
  };
}

/** True for a warning about the installation, which programs that read the events can do nothing about. */
const isNote = ({ code }: Outcome): boolean => Object.hasOwn(sandboxNotices, code);
/** The final events of a failed turn. Readers have no second field for advice, so it is part of the text. */
const failedTurn = (outcome: Outcome): readonly ExecEvent[] => ended(failure(outcome).message);

function failure(outcome: Outcome): Extract<ExecEvent, { type: 'error' }> {
  const text = outcomeText(outcome);
  // Programs recognise an incomplete answer by Codex's wording. With a status, the server refused and sent no stream.
  const isBroken = brokenStreams.has(outcome.code) && !('status' in outcome);
  return { type: 'error', message: isBroken ? `stream disconnected before completion: ${text}` : text };
}

const brokenStreams = new Set(['stream-cut', 'stream-idle', 'server-error', 'overloaded', 'rate-limited']);

const ended = (message: string): readonly ExecEvent[] => {
  return [
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ];
};

function execUsage(usage: Usage): ExecUsage {
  const { total_tokens: _total, ...counts } = usageForPrograms(usage);
  return counts;
}
