import { type Fault, fullText, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { ChangedFile, PlanItem, TurnItem } from '../../protocol/turn-item.ts';
import { checkpointLine, failedCheckpointLine } from '../checkpoint-words.ts';
import { complain } from '../complain.ts';
import type { OpenedThread } from '../engine/open-thread.ts';
import { Announcement } from './announcement.ts';
import { contextLine, type ExecContextEvent, isContextNews } from './context-events.ts';
import { type ExecEvent, execEvents, failedTurn } from './events.ts';

/** Where a run shows itself. Standard output carries the contract, standard error is for people. */
export interface Output {
  start(opened: OpenedThread): void;
  event(event: ThreadEvent): void;
  notice(outcome: Outcome): void;
  /** The thread is there, and nothing is asked of it. */
  idle(): void;
  /** The turn ended with the loss of what should keep it: no event of the engine tells of that. */
  lost(fault: Fault): void;
  /** Whoever told the program to end reports that himself, and would take `turn.failed` for another failure. */
  toldToEnd(): void;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly color: string;
  /** Print events about what the model is told among the others. */
  readonly contextEvents: boolean;
  /** Say what the model is told and what it costs. */
  readonly verbose: boolean;
  /** Whether the thread is there when the process has ended. */
  readonly resumable: boolean;
}

export function createOutput({ json, color, contextEvents, verbose, resumable }: OutputOptions): Output {
  const dim = dimmer(color);
  const output = json ? jsonOutput(contextEvents) : plainOutput(dim, resumable);
  return {
    ...output,
    event(event) {
      if (event.kind === 'checkpoint-installed') say(dim(checkpointLine(event.report)));
      if (event.kind === 'checkpoint-failed') say(failedCheckpointLine(event));
      const line = verbose && isContextNews(event) ? contextLine(event) : undefined;
      if (line !== undefined) say(dim(line));
      output.event(event);
    },
  };
}

function dimmer(color: string): (text: string) => string {
  const colored =
    color === 'always' || (color !== 'never' && process.stderr.isTTY && process.env['NO_COLOR'] === undefined);
  return colored ? (text) => `\x1b[2m${text}\x1b[22m` : (text) => text;
}

/** One JSON event per line on standard output, nothing else there. */
function jsonOutput(context: boolean): Output {
  const toExecEvents = execEvents({ context });
  let told = false;
  const print = (events: readonly (ExecEvent | ExecContextEvent)[]): void => {
    for (const event of events) {
      if (!told || event.type !== 'turn.failed') process.stdout.write(`${JSON.stringify(event)}\n`);
    }
  };
  const announcement = new Announcement(say, (text) => text);
  return {
    start: (opened) => announcement.opened(opened),
    notice: (outcome) => announcement.notice(fullText(outcome)),
    idle: () => {},
    event(event) {
      if (event.kind === 'thread-started') announcement.started();
      print(toExecEvents(event));
    },
    lost(fault) {
      announcement.end();
      print(failedTurn(fault));
      // Here too: the disk that is lost may be the one that the events go to.
      complain(fault, 1);
    },
    toldToEnd() {
      told = true;
    },
  };
}

/** What happens on standard error; the answer alone on standard output, unless both are the same screen. */
function plainOutput(dim: (text: string) => string, resumable: boolean): Output {
  const announcement = new Announcement(say, dim);
  const sayHowToGoOn = (): void => {
    const id = resumable ? announcement.threadId : undefined;
    if (id !== undefined) say(dim(`To go on with this thread: capstan exec resume ${id}`));
  };
  return {
    start: (opened) => announcement.opened(opened),
    notice: (outcome) => announcement.notice(fullText(outcome)),
    idle: sayHowToGoOn,
    lost(fault) {
      announcement.end();
      complain(fault, 1);
      sayHowToGoOn();
    },
    toldToEnd: () => {},
    event(event) {
      if (isContextNews(event)) return;
      switch (event.kind) {
        case 'item-completed':
          return sayItem(event.item, dim);
        case 'warning':
        case 'retrying':
          return say(event.kind === 'retrying' ? event.outcome.message : fullText(event.outcome));
        case 'turn-failed':
          say(fullText(event.outcome));
          // Nothing of this turn was kept: a new thread has no file yet.
          return event.outcome.code === 'prompt-too-long' ? undefined : sayHowToGoOn();
        case 'turn-aborted':
          say('The turn was interrupted.');
          return sayHowToGoOn();
        case 'turn-completed': {
          const { input, cachedInput, output } = event.usage;
          say(dim(`tokens used: ${input - cachedInput + output}`));
          // On one screen with the rest, it was shown when it came.
          const isShown = process.stdout.isTTY && process.stderr.isTTY;
          if (event.lastMessage !== undefined && !isShown) process.stdout.write(`${event.lastMessage}\n`);
          return;
        }
        case 'item-updated':
        case 'item-started':
          if (event.item.kind === 'plan') say(dim(planText(event.item)));
          if (event.item.kind === 'command') say(`$ ${event.item.argv.at(-1) ?? ''}`);
          return;
        case 'thread-started':
          return announcement.started();
        case 'turn-started':
          return;
      }
    },
  };
}

function sayItem(item: TurnItem, dim: (text: string) => string): void {
  switch (item.kind) {
    case 'command': {
      const end = item.exitCode === undefined ? item.status : `exit ${item.exitCode}`;
      return say(dim(`${indent(item.output)}  [${end}]`));
    }
    case 'file-change':
      return say(dim(`${item.changes.map(changeLine).join('\n')}\n  [${item.status}]`));
    case 'reasoning':
      return say(dim(item.summary.join('\n')));
    case 'agent-message':
      return say(item.text);
    case 'image-view':
      return say(dim(`looked at ${item.path}`));
    case 'user-message':
    case 'plan':
      return;
  }
}

const marks = { completed: 'x', 'in-progress': '>', pending: ' ' };

function planText({ steps }: PlanItem): string {
  return steps.map(({ text, status }) => `  [${marks[status]}] ${text}`).join('\n');
}

function changeLine({ path, kind, movePath }: ChangedFile): string {
  return `${kind} ${path}${movePath === undefined ? '' : ` -> ${movePath}`}`;
}

function indent(text: string): string {
  return text === '' ? '' : `${text.trimEnd().replace(/^/gm, '  ')}\n`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
