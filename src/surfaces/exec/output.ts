import { allowsAsking, approvalName } from '../../core/policy/decide/approval-policy.ts';
import { sandboxLevelOf } from '../../core/policy/profiles/describe-policy.ts';
import type { LiveThread } from '../../engine/live/live-thread-types.ts';
import { networkWords, policyInForce, policyWords, settingLabel } from '../../engine/wording.ts';
import type { Fault, Outcome } from '../../protocol/outcome.ts';
import { quoteShellCommand } from '../../protocol/shell.ts';
import { endsOrSuspends, type ProvisionalEvent, type ThreadEvent } from '../../protocol/thread-event.ts';
import { version } from '../../protocol/version.ts';
import type { Span } from '../views/terminal/styled-text.ts';
import { visibleLine } from '../views/terminal/visible-text.ts';

/** Beyond this number, held-back output is counted and not shown. */
const mostHeld = 300;

/** Holds back output while a question is open at the terminal: it could push the question away, or pose as one. */
export class HeldBackOutput {
  readonly #open = new Set<string>();
  readonly #held: (() => void)[] = [];
  readonly #sayLost: (count: number) => void;
  #lost = 0;

  constructor(sayLost: (count: number) => void) {
    this.#sayLost = sayLost;
  }

  /** Prints now, or in order once the question is answered. */
  print(print: () => void): void {
    if (this.#open.size === 0) return print();
    if (this.#held.length < mostHeld) this.#held.push(print);
    else this.#lost++;
  }

  /** Like `print`, for output that must not be lost because it belongs to something printed before. */
  printAll(print: () => void): void {
    if (this.#open.size === 0) print();
    else this.#held.push(print);
  }

  /** Call before the event is printed: an answer ends the waiting. */
  before(event: ThreadEvent): void {
    if (event.kind === 'question-answered') this.#open.delete(event.id);
    if (event.kind === 'question-answered' ? this.#open.size === 0 : endsOrSuspends(event)) this.release();
  }

  /** Call after the event is printed. After a question to the user, all output waits; a reviewer reads no screen. */
  after(event: ThreadEvent): void {
    if (event.kind === 'question-asked' && event.to !== 'review') this.#open.add(event.question.id);
  }

  release(): void {
    this.#open.clear();
    for (const print of this.#held.splice(0)) print();
    if (this.#lost > 0) this.#sayLost(this.#lost);
    this.#lost = 0;
  }
}

/** The output of a run. Standard output carries the contract, standard error is for people. */
export interface ExecPrinter {
  start(thread: AnnouncedThread): void;
  event(event: ThreadEvent): void;
  /** Absent: partial output is not shown, and costs nothing. */
  readonly provisional?: (event: ProvisionalEvent) => void;
  notice(outcome: Outcome): void;
  show(...spans: readonly Span[]): void;
  /** The text that the user is typing; undefined: none any more. */
  typing(text: string | undefined): void;
  /** The thread is open, and has nothing to do. */
  idle?(): void;
  /** The turn ended because its storage was lost: no engine event reports that. */
  lost(fault: Fault): void;
  /** Called when a signal ends the turn: calls that still run are stopped, and did not fail by themselves. */
  interrupted?(): void;
  endedAtOnce(): void;
  /** Called if the program that ended this one reports that itself: it would take `turn.failed` for another failure. */
  toldToEnd?(): void;
}

export type AnnouncedThread = Pick<LiveThread, 'id' | 'settings' | 'profileName' | 'restored'>;

/** Announces the settings in force as soon as the thread, which the line names, is open and durable. */
export class Announcement {
  readonly #say: (text: string) => void;
  readonly #whisper: (text: string) => void;
  readonly #isVerbose: boolean;
  #opened: AnnouncedThread | undefined;
  #isDurable = false;
  #waiting: string[] = [];

  constructor(say: (text: string) => void, whisper: (text: string) => void, { verbose }: { verbose: boolean }) {
    this.#say = say;
    this.#whisper = whisper;
    this.#isVerbose = verbose;
  }

  /** The id of the thread, once it was shown. */
  get threadId(): string | undefined {
    return this.#isDurable ? this.#opened?.id : undefined;
  }

  opened(thread: AnnouncedThread): void {
    this.#opened = thread;
    this.#announce();
  }

  /** Call when the thread's first lines are durable. */
  started(): void {
    this.#isDurable = true;
    this.#announce();
  }

  /** Shows a notice about the run, after the announcement if one is still to come. */
  notice(text: string): void {
    if (this.#opened === undefined || this.#isDurable) this.#say(text);
    else this.#waiting.push(text);
  }

  /** No announcement will follow: shows the notices that waited for it. */
  end(): void {
    for (const text of this.#waiting.splice(0)) this.#say(text);
  }

  #announce(): void {
    if (this.#opened === undefined || !this.#isDurable) return;
    this.#whisper(startLines(this.#opened, this.#isVerbose));
    this.end();
  }
}

/** The settings in force: one line of at most 100 columns, and a second one for what few runs have. */
function startLines({ id, settings, profileName, restored }: AnnouncedThread, verbose: boolean): string {
  const { model, provider, effort, approvals: approval, cwd } = settings;
  const resolved = policyInForce(settings);
  const policy = { mode: sandboxLevelOf(resolved), network: resolved.network, lists: resolved.lists };
  const asking = { asksAboutRules: allowsAsking(approval, 'rules') };
  const plans = settings.collaboration?.mode === 'plan' ? 'plan mode, ' : '';
  const mode = `${plans}${policyWords(policy, { profileName, ...asking })}`;
  const asked = [model, effort, provider === 'openai' ? undefined : `via ${provider}`].filter((word) => word);
  const first = [`capstan ${version}`, `thread ${id}`, asked.join(' '), mode];
  const second = [
    ...(!verbose || restored === undefined || restored.names.length === 0 ? [] : [restoredWords(restored)]),
    ...(verbose ? [`provider ${provider}`, networkWords(policy, asking), `approval ${approvalName(approval)}`] : []),
    ...(verbose || cwd !== process.cwd() ? [`in ${quoteShellCommand([cwd])}`] : []),
  ];
  const lines = [first, second].filter((parts) => parts.length > 0);
  return lines.map((parts) => visibleLine(parts.join(' · '))).join('\n');
}

function restoredWords({ from, names }: NonNullable<LiveThread['restored']>): string {
  const where = from === 'settings' ? 'the last change of its settings' : 'its last turn';
  return `from ${where}: ${names.map((name) => settingLabel(name)).join(', ')}`;
}
