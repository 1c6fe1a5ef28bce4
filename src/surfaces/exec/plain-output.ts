import { hostAtPort } from '../../policy/network/host-pattern.ts';
import type { AskedHost } from '../../protocol/asked-host.ts';
import { defined } from '../../protocol/defined.ts';
import type { ProvisionalEvent } from '../../protocol/provisional-event.ts';
import { type Fault, fullText, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { CommandItem, ToolCallItem, TurnItem } from '../../protocol/turn-item.ts';
import { endedAtOnce } from '../terminal/end-on-signal.ts';
import { imageNote } from '../terminal/image-note.ts';
import { bold, dim, type Span, yellow } from '../terminal/look.ts';
import { complain, isOneOutput, print } from '../terminal/print.ts';
import type { Screen } from '../terminal/screen.ts';
import { count } from '../wording/number-words.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { isRetryNews } from '../wording/retry-news.ts';
import { reviewWords } from '../wording/review-words.ts';
import { answerCommand } from '../wording/answer-command.ts';
import { resumeCommand, type RunToRepeat } from '../wording/resume-command.ts';
import { Activity } from '../terminal/activity.ts';
import { type AnnouncedThread, Announcement } from './announcement.ts';
import { toolStart } from './agent-lines.ts';
import { isContextNews } from './context-events.ts';
import { withoutAnswer } from './hook-lines.ts';
import { HeldBack } from './held-back.ts';
import { commandEnd, commandLines, type ItemForm, patchEnd, planLines, callNotRun, toolEnd } from './item-lines.ts';
import { sayNews } from './news.ts';
import { withoutPlanTags } from './plan-tags.ts';
import { type CommandPlace, placeMark } from './place-mark.ts';
import type { Output } from './output.ts';
import { StreamedAnswer } from './streamed-answer.ts';
import { TurnCost } from './turn-cost.ts';

export interface PlainOptions extends Pick<RunToRepeat, 'limits'> {
  /** On a terminal: a status line, and answers as they arrive. */
  readonly live: boolean;
  readonly verbose: boolean;
  readonly resumable: boolean;
  /** How questions are answered, as the user named it. Absent: none are asked. */
  readonly approvals?: string;
  /** Whether the user has not read a warning in an earlier run. Absent: all are shown. */
  readonly recordIfNews?: (outcome: Outcome) => boolean;
}

/** What happens on standard error; the answer alone on standard output, unless both are the same screen. */
export class PlainOutput implements Output {
  readonly provisional?: (event: ProvisionalEvent) => void;
  readonly #screen: Screen;
  readonly #options: PlainOptions;
  readonly #announcement: Announcement;
  readonly #activity = new Activity();
  readonly #answer: StreamedAnswer;
  readonly #held = new HeldBack((count) => this.#sayLost(count));
  #isInterrupted = false;
  #goalRests = false;
  /** The call whose start, or the question, that stands last on the screen; `noCall` where a warning stands below it. */
  #newestCall: string | undefined;
  /** Calls that have begun and not ended. */
  readonly #openCalls = new Set<string>();
  /** Those whose start is not shown: another call runs, and no one watches. */
  readonly #unsaidStarts = new Map<string, CommandPlace>();
  /** The provider answered a request of the turn. */
  #hasSpent = false;
  /** The questions that this run has shown. */
  readonly #shownQuestions = new Set<string>();
  /** What was asked about, by the id of the question. */
  readonly #hosts = new Map<string, AskedHost>();
  #folder: string | undefined;
  readonly #cost = new TurnCost();
  /** Whether the user has read how to be asked. */
  #hasHinted = false;

  constructor(screen: Screen, options: PlainOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#answer = new StreamedAnswer(screen);
    this.#announcement = new Announcement(
      (text) => screen.message(text),
      (text) => screen.message(text, { look: 'dim' }),
      options,
    );
    if (options.live) this.provisional = (event) => this.#held.printAll(() => this.#answer.provisional(event));
  }

  start = (opened: AnnouncedThread): void => {
    this.#folder = opened.settings.cwd;
    this.#announcement.opened(opened);
  };
  notice = (outcome: Outcome): void => this.#held.print(() => this.#announcement.notice(fullText(outcome)));
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
    complain(fault, 1);
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
    this.#screen.note(yellow(endedAtOnce));
    this.#sayHowToResume();
  };

  event = (event: ThreadEvent): void => {
    this.#activity.event(event);
    this.#cost.event(event);
    this.#noteProgress(event);
    this.#sayUnanswered(event);
    this.#held.before(event);
    this.#held.print(() => this.#say(event));
    this.#held.after(event);
    this.#showStatus();
  };

  #noteProgress(event: ThreadEvent): void {
    if (event.kind === 'turn-started') this.#hasSpent = false;
    this.#hasSpent ||= event.kind === 'usage';
  }

  #showStatus(): void {
    const isOver = this.#activity.words === undefined;
    this.#screen.status(isOver ? undefined : () => this.#activity.words ?? []);
  }

  #say(event: ThreadEvent): void {
    const screen = this.#screen;
    sayNews(screen, event, this.#options.verbose);
    if (isContextNews(event)) return;
    switch (event.kind) {
      case 'thread-started':
        return this.#announcement.started();
      case 'item-updated':
        this.#sayStart(event.item, event);
        if (event.item.kind !== 'command') return undefined;
        // The turn ends before it does.
        this.#newestCall = noCall;
        return screen.note(dim('  [still running]'));
      case 'item-started':
        return this.#beginItem(event.item, event);
      case 'item-completed':
        this.#sayItem(event.item);
        return this.#answer.showNext();
      case 'call-refused':
        return this.#sayRefused(event);
      case 'warning':
        if (this.#options.recordIfNews?.(event.outcome) === false) return undefined;
        this.#goalRests ||= event.outcome.code === 'goal-rests';
        if (this.#newestCall !== undefined && !this.#isOnlyCall) this.#newestCall = noCall;
        return screen.message(fullText(event.outcome), { look: 'yellow' });
      case 'retrying':
        if (isRetryNews(event)) screen.message(event.outcome.message, { look: 'yellow' });
        return undefined;
      case 'turn-failed':
        if (event.continuedBy !== undefined) return screen.message(fullText(event.outcome), { look: 'yellow' });
        screen.message(fullText(event.outcome), { look: 'red' });
        return this.#sayHowToGoOn(event);
      case 'turn-aborted':
        screen.note(yellow('The turn was interrupted.'));
        return this.#sayHowToResume();
      case 'turn-completed': {
        screen.note(dim(`tokens used: ${this.#cost.words(event.usage)}`));
        if (event.lastMessage === undefined) screen.note(dim(withoutAnswer(event)));
        // In one place with the rest, it was shown when it came.
        if (event.lastMessage !== undefined && !isOneOutput()) print(`${withoutPlanTags(event.lastMessage)}\n`, 'text');
        return;
      }
      case 'turn-suspended':
        screen.note(yellow('The turn waits for your answer.'));
        return this.#sayHowToAnswer();
      case 'question-asked':
        // What stands above it says nothing about what follows.
        this.#newestCall = event.question.id;
        if (event.question.host !== undefined) this.#hosts.set(event.question.id, event.question.host);
        return;
      case 'checkpoint-stage':
      case 'turn-started':
        return;
      case 'question-answered': {
        const host = this.#hosts.get(event.id);
        const words = reviewWords(event.answer, host && hostAtPort(host.name, host.port));
        return words === undefined ? undefined : screen.note(dim(visibleLine(words)));
      }
    }
  }

  /** In a log, calls that run side by side are named once, with their outputs; the first is named as it starts. */
  #beginItem(item: TurnItem, place: CommandPlace): void {
    const isCall = item.kind === 'command' || item.kind === 'tool-call';
    // One that starts again has left the sandbox.
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
    if (item.kind === 'command') this.#screen.note(bold(commandLines(item.argv)), ...placeMark(place));
    if (item.kind === 'tool-call') this.#screen.note(bold(toolStart(item)));
    if (item.kind !== 'command' && item.kind !== 'tool-call') return;
    this.#newestCall = item.id;
    this.#openCalls.add(item.id);
  }

  /** At once: it ends what stands on the screen. */
  #sayUnanswered(event: ThreadEvent): void {
    if (event.kind === 'question-asked') this.#shownQuestions.add(event.question.id);
    if (event.kind !== 'question-answered' || event.answer.kind !== 'lapsed' || event.answer.by !== undefined) return;
    if (!this.#shownQuestions.has(event.id))
      return this.#screen.note(dim('A question of an earlier run was left without an answer.'));
    const why = this.#hosts.has(event.id) ? ': the command ended' : '';
    this.#screen.note(dim(`  no answer${why}`));
  }

  /** No question and no other call can come between its start and its end: what follows is its own. */
  get #isOnlyCall(): boolean {
    return this.#openCalls.size === 1 && this.#options.approvals === undefined;
  }

  /** Calls run side by side: an end that does not stand below its own start says again whose it is. */
  #nameAgain(item: CommandItem | ToolCallItem): void {
    if (this.#newestCall !== undefined && this.#newestCall !== item.id) this.#sayStart(item);
    this.#openCalls.delete(item.id);
  }

  /** The start of a call no longer stands right above its end. */
  #standBetween(): void {
    if (this.#openCalls.size > 0) this.#newestCall = noCall;
  }

  #sayItem(item: TurnItem): void {
    const screen = this.#screen;
    const form: ItemForm = {
      folded: this.#options.live && !this.#options.verbose,
      interrupted: this.#isInterrupted,
      ...defined({ folder: this.#folder }),
    };
    switch (item.kind) {
      case 'command':
        this.#nameAgain(item);
        return screen.note(...commandEnd(item, form));
      case 'file-change':
        screen.note(...patchEnd(item, form));
        return this.#standBetween();
      case 'tool-call':
        this.#nameAgain(item);
        return screen.note(...toolEnd(item, form));
      case 'reasoning':
        this.#answer.completed(item.id, '');
        return screen.note(dim(item.summary.map(withoutStars).join('\n')));
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
        return;
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
    const steps = lost === 1 ? '1 more step is' : `${count(lost)} more steps are`;
    this.#screen.note(dim(`${steps} not shown: too much happened while the question was open.`));
  }

  /** One that did not arrive in pieces looks the same. */
  #sayAnswer(text: string): void {
    if (!this.#options.live) return this.#screen.note(text);
    this.#screen.endText();
    this.#screen.text(text);
    this.#screen.endText();
  }

  /** No command is named that would fail as this run did, or whose thread has no file. */
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
    const id = this.#options.resumable ? this.#announcement.threadId : undefined;
    if (id === undefined) return;
    const run = { ...this.#options, ...changed, goalRests: this.#goalRests };
    this.#screen.note(dim(`${what}: ${resumeCommand(id, run)}`));
  }

  #sayHowToAnswer(): void {
    const id = this.#options.resumable ? this.#announcement.threadId : undefined;
    if (id !== undefined) this.#screen.note(dim(`To answer: ${answerCommand(id, this.#options)}`));
  }
}

const noCall = '';

/** Models set their headlines in bold type: a dim line needs no stars. */
function withoutStars(text: string): string {
  return text.replaceAll(/^\*\*(.+)\*\*$/gm, '$1');
}
