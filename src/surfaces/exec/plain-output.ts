import { hostAtPort } from '../../core/policy/network/host-lists.ts';
import { formatCount } from '../../engine/wording.ts';
import { type Fault, outcomeText, type Outcome } from '../../protocol/outcome.ts';
import type { RequestedHost } from '../../protocol/permissions.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../protocol/thread-event.ts';
import type { CommandItem, ToolCallItem, TurnItem } from '../../protocol/turn-item.ts';
import { noUsage, type Usage, usageSince, usedTokens } from '../../protocol/usage.ts';
import { printFailure, isOutputSameAsError, print } from '../views/terminal/print.ts';
import { stoppedAtOnceNote } from '../views/terminal/process.ts';
import type { StatusScreen } from '../views/terminal/screen.ts';
import { bold, dim, type Span, yellow } from '../views/terminal/styled-text.ts';
import { visibleLine } from '../views/terminal/visible-text.ts';
import { TurnActivity } from '../views/terminal/turn-activity.ts';
import { answerCommand, resumeCommand, type RepeatedRunOptions } from '../views/wording/command-hints.ts';
import { moneyWords, uncountedTokens, uncountedWords } from '../views/wording/cost-words.ts';
import { PlanTagStream, withoutPlanTags } from '../views/wording/proposed-plan-tags.ts';
import {
  callNotRun,
  commandEndLines,
  commandLineText,
  imageNote,
  isRetryWorthShowing,
  missingAnswerReason,
  patchEndLines,
  sandboxPlaceMark,
  planLines,
  reviewWords,
  toolEndLines,
  toolStartLine,
} from '../views/wording/turn-lines.ts';
import type { SandboxPlace, ItemForm } from '../views/wording/turn-lines.ts';
import { isContextNews, showContextNews } from './context-and-question-events.ts';
import { type AnnouncedThread, Announcement, HeldBackOutput, type ExecPrinter } from './output.ts';

export interface PlainOptions extends Pick<RepeatedRunOptions, 'limits'> {
  /** For a terminal: a status line, and answers as they arrive. */
  readonly live: boolean;
  readonly verbose: boolean;
  readonly resumable: boolean;
  /** The value of the option that says how questions are answered. Absent: none are asked. */
  readonly approvals?: string;
  /** Returns true if the user has not read the warning in an earlier run. Absent: all are shown. */
  readonly recordIfNews?: (outcome: Outcome) => boolean;
}

/** Progress goes to standard error; standard output gets only the answer, unless both are the same screen. */
export class PlainOutput implements ExecPrinter {
  readonly provisional?: (event: ProvisionalEvent) => void;
  readonly #screen: StatusScreen;
  readonly #options: PlainOptions;
  readonly #announcement: Announcement;
  readonly #activity = new TurnActivity();
  readonly #answer: StreamedAnswer;
  readonly #held = new HeldBackOutput((count) => this.#sayLost(count));
  #isInterrupted = false;
  #goalRests = false;
  /** The call or question that was printed last; `noCall` if something else was printed before its end. */
  #newestCall: string | undefined;
  readonly #openCalls = new Set<string>();
  /** Calls whose start was not printed, because another call ran and the output is not live. */
  readonly #unsaidStarts = new Map<string, SandboxPlace>();
  #hasSpent = false;
  readonly #shownQuestions = new Set<string>();
  readonly #hosts = new Map<string, RequestedHost>();
  #folder: string | undefined;
  readonly #cost = new TurnCost();
  #hasHinted = false;

  constructor(screen: StatusScreen, options: PlainOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#answer = new StreamedAnswer(screen);
    const whisper = (text: string): void => screen.message(text, { look: 'dim' });
    this.#announcement = new Announcement((text) => screen.message(text), whisper, options);
    if (options.live) this.provisional = (event) => this.#held.printAll(() => this.#answer.provisional(event));
  }

  start = (opened: AnnouncedThread): void => {
    this.#folder = opened.settings.cwd;
    this.#announcement.opened(opened);
  };
  notice = (outcome: Outcome): void => this.#held.print(() => this.#announcement.notice(outcomeText(outcome)));
  show = (...spans: readonly Span[]): void => this.#screen.note(...spans);
  typing = (text: string | undefined): void => this.#screen.typing(text);

  idle = (): void => {
    this.#sayHowToResume();
    if (this.#announcement.threadId !== undefined) print(`${this.#announcement.threadId}\n`, 'text');
  };

  lost = (fault: Fault): void => {
    this.#held.release();
    this.#announcement.end();
    this.#screen.end();
    printFailure(fault, 1);
    this.#sayHowToResume();
  };

  interrupted = (): void => {
    this.#isInterrupted = true;
    this.#activity.stop();
    this.#showStatus();
  };

  endedAtOnce = (): void => {
    this.#held.release();
    this.#screen.end();
    this.#screen.note(yellow(stoppedAtOnceNote));
    this.#sayHowToResume();
  };

  event = (event: ThreadEvent): void => {
    this.#activity.event(event);
    this.#cost.event(event);
    if (event.kind === 'turn-started' || event.kind === 'usage') this.#hasSpent = event.kind === 'usage';
    this.#sayUnanswered(event);
    this.#held.before(event);
    this.#held.print(() => this.#say(event));
    this.#held.after(event);
    this.#showStatus();
  };

  #showStatus(): void {
    this.#screen.status(this.#activity.words && (() => this.#activity.words ?? []));
  }

  #say(event: ThreadEvent): void {
    const screen = this.#screen;
    showContextNews(screen, event, this.#options.verbose);
    if (isContextNews(event)) return;
    switch (event.kind) {
      case 'thread-started':
        return this.#announcement.started();
      case 'item-updated':
        this.#sayStart(event.item, event);
        if (event.item.kind !== 'command') return undefined;
        this.#newestCall = noCall;
        return screen.note(dim('  [still running]'));
      case 'item-started':
        return this.#beginItem(event.item, event);
      case 'item-completed':
        this.#sayItem(event.item);
        return this.#answer.showFirst();
      case 'call-refused':
        return this.#sayRefused(event);
      case 'warning':
        if (this.#options.recordIfNews?.(event.outcome) === false) return undefined;
        this.#goalRests ||= event.outcome.code === 'goal-rests';
        if (this.#newestCall !== undefined && !this.#isOnlyCall) this.#newestCall = noCall;
        return screen.message(outcomeText(event.outcome), { look: 'yellow' });
      case 'retrying':
        if (isRetryWorthShowing(event)) screen.message(event.outcome.message, { look: 'yellow' });
        return undefined;
      case 'turn-failed':
        if (event.continuedBy !== undefined) return screen.message(outcomeText(event.outcome), { look: 'yellow' });
        screen.message(outcomeText(event.outcome), { look: 'red' });
        return this.#sayHowToGoOn(event);
      case 'turn-aborted':
        screen.note(yellow('The turn was interrupted.'));
        return this.#sayHowToResume();
      case 'turn-completed':
        screen.note(dim(`tokens used: ${this.#cost.words(event.usage)}`));
        if (event.lastMessage === undefined) screen.note(dim(missingAnswerReason(event)));
        // On a shared screen it was shown when it came.
        else if (!isOutputSameAsError()) print(`${withoutPlanTags(event.lastMessage)}\n`, 'text');
        return;
      case 'turn-suspended':
        screen.note(yellow('The turn waits for your answer.'));
        return this.#sayCommand('To answer', (id) => answerCommand(id, this.#options));
      case 'question-asked':
        // An end that follows the question must name its call again.
        this.#newestCall = event.question.id;
        if (event.question.host !== undefined) this.#hosts.set(event.question.id, event.question.host);
        return;
      case 'question-answered': {
        const host = this.#hosts.get(event.id);
        const words = reviewWords(event.answer, host && hostAtPort(host.name, host.port));
        return words === undefined ? undefined : screen.note(dim(visibleLine(words)));
      }
      case 'turn-started':
      case 'code-reviewed':
      case 'hook-started':
      case 'hook-completed':
      case 'checkpoint-stage':
        return undefined;
      default:
        return event satisfies never;
    }
  }

  /** In a log, names each parallel call once, with its output; only the first is named when it starts. */
  #beginItem(item: TurnItem, place: SandboxPlace): void {
    const isCall = item.kind === 'command' || item.kind === 'tool-call';
    // A call that starts again has left the sandbox.
    const isBeside = isCall && this.#openCalls.size > 0 && !this.#openCalls.has(item.id);
    if (this.#options.live || !isBeside) return this.#sayStart(item, place);
    this.#openCalls.add(item.id);
    this.#unsaidStarts.set(item.id, place);
  }

  #sayStart(item: TurnItem, place = this.#unsaidStarts.get(item.id) ?? {}): void {
    this.#unsaidStarts.delete(item.id);
    if (item.kind === 'plan') {
      for (const step of planLines(item)) this.#screen.message(step, { look: 'dim', indent: '  ', hanging: '      ' });
      this.#standBetween();
    }
    if (item.kind === 'command') this.#screen.note(bold(commandLineText(item.argv)), ...sandboxPlaceMark(place));
    if (item.kind === 'tool-call') this.#screen.note(bold(toolStartLine(item)));
    if (item.kind !== 'command' && item.kind !== 'tool-call') return;
    this.#newestCall = item.id;
    this.#openCalls.add(item.id);
  }

  /** Prints at once that a question lapsed, since that ends the question on the screen. */
  #sayUnanswered(event: ThreadEvent): void {
    if (event.kind === 'question-asked') this.#shownQuestions.add(event.question.id);
    if (event.kind !== 'question-answered' || event.answer.kind !== 'lapsed' || event.answer.by !== undefined) return;
    if (!this.#shownQuestions.has(event.id))
      return this.#screen.note(dim('A question of an earlier run was left without an answer.'));
    const why = this.#hosts.has(event.id) ? ': the command ended' : '';
    this.#screen.note(dim(`  no answer${why}`));
  }

  /** True if no question and no other call can come between the call's start and end: the output is then its own. */
  get #isOnlyCall(): boolean {
    return this.#openCalls.size === 1 && this.#options.approvals === undefined;
  }

  /** Calls run in parallel: an end that is not directly below its own start names the call again. */
  #nameAgain(item: CommandItem | ToolCallItem): void {
    if (this.#newestCall !== undefined && this.#newestCall !== item.id) this.#sayStart(item);
    this.#openCalls.delete(item.id);
  }

  /** Notes that something was printed between the start of a call and its end. */
  #standBetween(): void {
    if (this.#openCalls.size > 0) this.#newestCall = noCall;
  }

  #sayItem(item: TurnItem): void {
    const screen = this.#screen;
    const folded = this.#options.live && !this.#options.verbose;
    const form: ItemForm = { folded, interrupted: this.#isInterrupted, folder: this.#folder };
    switch (item.kind) {
      case 'command':
        this.#nameAgain(item);
        return screen.note(...commandEndLines(item, form));
      case 'file-change':
        screen.note(...patchEndLines(item, form));
        return this.#standBetween();
      case 'tool-call':
        this.#nameAgain(item);
        return screen.note(...toolEndLines(item, form));
      case 'reasoning':
        this.#answer.completed(item.id, '');
        // Models set headlines in bold; a dim line needs no asterisks.
        return screen.note(dim(item.summary.map((text) => text.replaceAll(/^\*\*(.+)\*\*$/gm, '$1')).join('\n')));
      case 'agent-message': {
        const text = withoutPlanTags(item.text);
        return this.#answer.completed(item.id, text) ? undefined : this.#sayAnswer(text);
      }
      case 'web-search':
        screen.note(dim(visibleLine(`searched the web: ${item.query}`)));
        return this.#standBetween();
      case 'image-generation':
      case 'image-view':
        screen.note(imageNote(item));
        return this.#standBetween();
      case 'user-message':
      case 'plan':
        return undefined;
      default:
        return item satisfies never;
    }
  }

  #sayRefused(event: Extract<ThreadEvent, { kind: 'call-refused' }>): void {
    const { call, reason } = callNotRun(event);
    this.#screen.note(bold(call));
    this.#screen.message(reason, { look: 'dim', indent: '  ' });
    this.#screen.note(yellow('  [refused]'));
    this.#standBetween();
    if (event.unasked !== true || this.#options.approvals !== undefined || this.#hasHinted) return;
    this.#hasHinted = true;
    this.#screen.note(dim('  To be asked about such calls, run Capstan with --approvals ask.'));
  }

  #sayLost(lost: number): void {
    const steps = lost === 1 ? '1 more step is' : `${formatCount(lost)} more steps are`;
    this.#screen.note(dim(`${steps} not shown: too much happened while the question was open.`));
  }

  /** Prints a whole answer as if it had arrived in pieces. */
  #sayAnswer(text: string): void {
    if (!this.#options.live) return this.#screen.note(text);
    this.#screen.endText();
    this.#screen.text(text);
    this.#screen.endText();
  }

  /** Suggests no command that would fail as this run did, or whose thread has no file. */
  #sayHowToGoOn({ outcome: { code }, isRefused }: Extract<ThreadEvent, { kind: 'turn-failed' }>): void {
    if (isRefused === true) return;
    if (code !== 'spending-limit') return this.#sayHowToResume();
    const { limits = {} } = this.#options;
    // A limit of the configuration has to be raised there, as the message says.
    if (limits.cost === undefined && limits.tokens === undefined) return;
    if (this.#hasSpent) this.#sayHowToResume();
    else this.#sayHowToResume('To resume without the limit', { limits: {} });
  }

  #sayHowToResume(what = 'To resume', changed: Pick<PlainOptions, 'limits'> = {}): void {
    this.#sayCommand(what, (id) => resumeCommand(id, { ...this.#options, ...changed, goalRests: this.#goalRests }));
  }

  #sayCommand(what: string, command: (id: string) => string): void {
    const id = this.#options.resumable ? this.#announcement.threadId : undefined;
    if (id !== undefined) this.#screen.note(dim(`${what}: ${command(id)}`));
  }
}

const noCall = '';

interface Arriving {
  readonly kind: 'text' | 'reasoning';
  /** Pieces on the screen. Not joined: joining at every piece would cost quadratic time. */
  readonly shown: string[];
  waiting: string;
  readonly tags: PlanTagStream;
}

/** Shows answers while they arrive: an item is shown when those before it are completed or dropped. */
class StreamedAnswer {
  readonly #screen: StatusScreen;
  readonly #arriving = new Map<string, Arriving>();

  constructor(screen: StatusScreen) {
    this.#screen = screen;
  }

  provisional(event: ProvisionalEvent): void {
    if (event.kind === 'output') return;
    if (event.kind === 'dropped') {
      const dropped = this.#arriving.get(event.itemId);
      this.#arriving.delete(event.itemId);
      if (dropped !== undefined && dropped.shown.length > 0) this.#screen.note({ look: 'yellow', text: '[cut off]' });
      return this.showFirst();
    }
    const known = this.#arriving.get(event.itemId);
    const item: Arriving = known ?? { kind: event.kind, shown: [], waiting: '', tags: new PlanTagStream() };
    item.waiting += item.tags.push(event.text);
    this.#arriving.set(event.itemId, item);
    this.showFirst();
  }

  /** `text`: the complete item, without tags. True if the screen has all of it. */
  completed(id: string, text: string): boolean {
    const item = this.#arriving.get(id);
    this.#arriving.delete(id);
    if (item === undefined || item.shown.length === 0) return false;
    const shown = item.shown.join('');
    const isSame = text.startsWith(shown);
    if (isSame) this.#screen.text(text.slice(shown.length));
    this.#screen.endText();
    return isSame;
  }

  /** Shows the new text of the first item. Call it also once a completed item is on the screen. */
  showFirst(): void {
    const [first] = this.#arriving.values();
    if (first?.kind !== 'text' || first.waiting === '') return;
    this.#screen.text(first.waiting);
    first.shown.push(first.waiting);
    first.waiting = '';
  }
}

class TurnCost {
  #before = noUsage;
  #uncounted = 0;
  #isContinued = false;
  /** Another model continues: to the user it is the same turn. */
  #isPassedOn = false;

  event(event: ThreadEvent): void {
    if (event.kind === 'turn-failed') this.#isPassedOn = event.continuedBy !== undefined;
    if (event.kind === 'turn-started' && this.#isPassedOn) this.#isPassedOn = false;
    else if (event.kind === 'turn-started') {
      this.#before = event.usage;
      this.#isContinued = event.isContinued === true;
      this.#uncounted = 0;
    }
    if (event.kind === 'usage' && event.last === undefined && event.refused === undefined) this.#uncounted++;
    if (event.kind === 'checkpoint-installed') this.#uncounted += event.report.uncounted ?? 0;
  }

  /** `500 in this turn, 2,590 in the thread; $0.002 in this turn, $0.01 in the thread`. Unknown cost is not zero. */
  words(thread: Usage): string {
    const { estimated = 0 } = usageSince(this.#before, thread);
    const spent = usedTokens(thread) - usedTokens(this.#before);
    const isKnown = spent > 0 || this.#uncounted === 0;
    const since = this.#isContinued ? 'since the turn was continued' : 'in this turn';
    const tokens = (when: string): string =>
      isKnown
        ? `${formatCount(spent)}${when}${uncountedWords(this.#uncounted, estimated)}`
        : uncountedTokens(estimated).replace(' (', `${when} (`);
    const isFirst = usedTokens(this.#before) + (this.#before.estimated ?? 0) === 0;
    if (isFirst) return `${tokens('')}${this.#cost(thread, undefined)}`;
    return `${tokens(` ${since}`)}, ${allWords(thread)} in the thread${this.#cost(thread, since)}`;
  }

  /** Empty where no price is known: `capstan threads show` reports that. */
  #cost(thread: Usage, since: string | undefined): string {
    if (thread.cost === undefined) return '';
    if (since === undefined) return `; ${moneyWords(thread.cost, thread.estimated)}`;
    const { cost, estimated } = usageSince(this.#before, thread);
    return `; ${moneyWords(cost, estimated)} ${since}, ${moneyWords(thread.cost, thread.estimated)} in the thread`;
  }
}

function allWords(thread: Usage): string {
  const { estimated = 0 } = thread;
  const used = usedTokens(thread);
  return used === 0 && estimated > 0 ? `about ${formatCount(estimated)}` : formatCount(used);
}
