import { type Fault, fullText, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { ChangedFile, PlanItem, TurnItem } from '../../protocol/turn-item.ts';
import { checkpointLine, failedCheckpointLine } from '../wording/checkpoint-words.ts';
import type { ExecArguments } from '../commands/exec-command.ts';
import type { OpenedThread } from '../engine/open-thread.ts';
import { complain, print, printNote } from '../terminal/print.ts';
import { resumeCommand } from '../wording/resume-command.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { type Announcement, createAnnouncement } from './announcement.ts';
import { contextLine, type ExecContextEvent, isContextNews } from './context-events.ts';
import { type ExecEvent, execEvents, failedTurn } from './events.ts';

/** Where a run shows itself. Standard output carries the contract, standard error is for people. */
export interface Output {
  start(opened: OpenedThread): void;
  event(event: ThreadEvent): void;
  notice(outcome: Outcome): void;
  /** The thread is there, and nothing is asked of it. */
  idle?(): void;
  /** The turn ended with the loss of what should keep it: no event of the engine reports that. */
  lost(fault: Fault): void;
  /** A signal ends the turn: what still runs is stopped, and has not failed by itself. */
  interrupted?(): void;
  /** The program that ended this one reports that itself, and would take `turn.failed` for another failure. */
  toldToEnd?(): void;
}

export function createOutput(options: ExecArguments['options']): Output {
  const { json, sdkJson, color = 'auto', contextEvents, verbose, ephemeral } = options;
  const whisper = whisperer(color);
  const isJson = json || sdkJson;
  const announcement = createAnnouncement(isJson ? printNote : whisper);
  const output = isJson ? jsonOutput(announcement, contextEvents) : plainOutput(announcement, whisper, !ephemeral);
  return {
    start: (opened) => announcement.opened(opened),
    notice: (outcome) => announcement.notice(fullText(outcome)),
    ...output,
    event(event) {
      if (event.kind === 'checkpoint-installed') whisper(checkpointLine(event.report));
      if (event.kind === 'checkpoint-failed') printNote(failedCheckpointLine(event));
      const line = verbose && isContextNews(event) ? contextLine(event) : undefined;
      if (line !== undefined) whisper(line);
      output.event(event);
    },
  };
}

/** Says what is not the point of a run: dim, where colours are wanted. */
function whisperer(color: string): (text: string) => void {
  const colored =
    color === 'always' || (color !== 'never' && process.stderr.isTTY && process.env['NO_COLOR'] === undefined);
  return (text) => printNote(text, colored ? 'dim' : 'plain');
}

type OwnOutput = Omit<Output, 'start' | 'notice'>;

/** One JSON event per line on standard output, nothing else there. */
function jsonOutput(announcement: Announcement, context: boolean): OwnOutput {
  const toExecEvents = execEvents({ context });
  let told = false;
  const printAll = (events: readonly (ExecEvent | ExecContextEvent)[]): void => {
    for (const event of events) {
      if (!told || event.type !== 'turn.failed') print(`${JSON.stringify(event)}\n`, 'json');
    }
  };
  return {
    event(event) {
      if (event.kind === 'thread-started') announcement.started();
      printAll(toExecEvents(event));
    },
    lost(fault) {
      announcement.end();
      printAll(failedTurn(fault));
      // Here too: the disk that is lost may be the one that the events go to.
      complain(fault, 1);
    },
    toldToEnd() {
      told = true;
    },
  };
}

/** What happens on standard error; the answer alone on standard output, unless both are the same screen. */
function plainOutput(announcement: Announcement, whisper: (text: string) => void, isKept: boolean): OwnOutput {
  let isInterrupted = false;
  const sayHowToResume = (): void => {
    const id = isKept ? announcement.threadId() : undefined;
    if (id !== undefined) whisper(`To resume: ${resumeCommand(id)}`);
  };
  return {
    idle() {
      sayHowToResume();
      const id = announcement.threadId();
      if (id !== undefined) print(`${id}\n`, 'text');
    },
    lost(fault) {
      announcement.end();
      complain(fault, 1);
      sayHowToResume();
    },
    interrupted() {
      isInterrupted = true;
    },
    event(event) {
      if (isContextNews(event)) return;
      switch (event.kind) {
        case 'item-completed':
          return sayItem(event.item, { whisper, stopped: isInterrupted ? 'interrupted' : 'failed' });
        case 'warning':
        case 'retrying':
          return printNote(event.kind === 'retrying' ? event.outcome.message : fullText(event.outcome));
        case 'turn-failed':
          printNote(fullText(event.outcome));
          // Nothing of this turn was kept: a new thread has no file yet.
          return event.outcome.code === 'prompt-too-long' ? undefined : sayHowToResume();
        case 'turn-aborted':
          printNote('The turn was interrupted.');
          return sayHowToResume();
        case 'turn-completed': {
          const { input, cachedInput, output } = event.usage;
          whisper(`tokens used: ${input - cachedInput + output}`);
          // On one screen with the rest, it was shown when it came.
          const isShown = process.stdout.isTTY && process.stderr.isTTY;
          if (event.lastMessage !== undefined && !isShown) print(`${event.lastMessage}\n`, 'text');
          return;
        }
        case 'item-updated':
        case 'item-started':
          if (event.item.kind === 'plan') whisper(planText(event.item));
          if (event.item.kind === 'command') printNote(`$ ${event.item.argv.at(-1) ?? ''}`);
          if (event.item.kind === 'tool-call') printNote(visibleLine(`tool ${event.item.tool}`));
          return;
        case 'thread-started':
          return announcement.started();
        case 'question-asked':
        case 'question-answered':
        case 'turn-started':
          return;
      }
    },
  };
}

interface Saying {
  readonly whisper: (text: string) => void;
  /** How a command ended that has failed without an exit code. */
  readonly stopped: 'failed' | 'interrupted';
}

function sayItem(item: TurnItem, { whisper, stopped }: Saying): void {
  switch (item.kind) {
    case 'command': {
      const status = item.status === 'failed' ? stopped : item.status;
      const end = item.exitCode === undefined ? status : `exit ${item.exitCode}`;
      return whisper(`${indent(item.output)}  [${end}]`);
    }
    case 'file-change':
      return whisper(`${item.changes.map(changeLine).join('\n')}\n  [${item.status}]`);
    case 'tool-call':
      return whisper(`${indent(item.output ?? '')}  [${item.status}]`);
    case 'reasoning':
      return whisper(item.summary.join('\n'));
    case 'agent-message':
      return printNote(item.text);
    case 'image-view':
      return item.problem === undefined
        ? whisper(`looked at ${visibleLine(item.path)}`)
        : printNote(visibleLine(`not shown: ${item.problem}`));
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
  return visibleLine(`${kind} ${path}${movePath === undefined ? '' : ` -> ${movePath}`}`);
}

function indent(text: string): string {
  return text === '' ? '' : `${text.trimEnd().replaceAll(/^|(?<=\n)/g, '  ')}\n`;
}
