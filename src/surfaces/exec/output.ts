import { defined } from '../../base/objects.ts';
import { allowsAsking, approvalName } from '../../core/policy/decide/approval-policy.ts';
import { sandboxLevelOf } from '../../core/policy/profiles/describe-policy.ts';
import type { LiveThread } from '../../engine/live/live-thread-types.ts';
import { networkWords, policyInForce, policyWords } from '../../engine/policy-words.ts';
import { settingName } from '../../engine/wording.ts';
import type { Fault, Outcome } from '../../protocol/outcome.ts';
import { shellWords } from '../../protocol/shell.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../protocol/thread-event.ts';
import { version } from '../../protocol/version.ts';
import type { Span } from '../views/terminal/styled-text.ts';
import { visibleLine } from '../views/terminal/text.ts';

/** From here on, what is held back is counted and not shown. */
const mostHeld = 300;

/**
 * Holds back what a run prints while a question of it is open at the terminal: an output in between could push the
 * question away, and pose as another one.
 */
export class HeldBack {
  readonly #open = new Set<string>();
  readonly #held: (() => void)[] = [];
  readonly #sayLost: (count: number) => void;
  #lost = 0;

  /** `sayLost`: more came than can be held. */
  constructor(sayLost: (count: number) => void) {
    this.#sayLost = sayLost;
  }

  /** Prints now, or in its turn when the question is answered. */
  print(print: () => void): void {
    if (this.#open.size === 0) return print();
    if (this.#held.length < mostHeld) this.#held.push(print);
    else this.#lost++;
  }

  /** The same for what must not be lost: it is a part of something that was printed before. */
  printAll(print: () => void): void {
    if (this.#open.size === 0) print();
    else this.#held.push(print);
  }

  /** To be called before the event is printed: an answer ends the waiting. */
  before(event: ThreadEvent): void {
    if (event.kind === 'question-answered') this.#open.delete(event.id);
    if (event.kind === 'question-answered' ? this.#open.size === 0 : endsTurn(event)) this.release();
  }

  /** To be called when the event is printed: from a question on, everything waits. A reviewer reads no screen. */
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

function endsTurn({ kind }: ThreadEvent): boolean {
  return kind === 'turn-completed' || kind === 'turn-failed' || kind === 'turn-aborted' || kind === 'turn-suspended';
}

/** Where a run shows itself. Standard output carries the contract, standard error is for people. */
export interface Output {
  start(thread: AnnouncedThread): void;
  event(event: ThreadEvent): void;
  /** Absent: what is still arriving is not shown, and costs nothing. */
  readonly provisional?: (event: ProvisionalEvent) => void;
  notice(outcome: Outcome): void;
  /** Lines for the person who is asked, or who looks on. */
  show(...spans: readonly Span[]): void;
  /** What the user types now; undefined: no more. */
  typing(text: string | undefined): void;
  /** The thread is there, and nothing is asked of it. */
  idle?(): void;
  /** The turn ended with the loss of what should keep it: no event of the engine reports that. */
  lost(fault: Fault): void;
  /** A signal ends the turn: what still runs is stopped, and has not failed by itself. */
  interrupted?(): void;
  /** A second signal: the process ends now. */
  endedAtOnce(): void;
  /** The program that ended this one reports that itself, and would take `turn.failed` for another failure. */
  toldToEnd?(): void;
}

/** What is said of a thread. */
export type AnnouncedThread = Pick<LiveThread, 'id' | 'settings' | 'profileName' | 'restored'>;

/** Says what is in force as soon as the thread is open and durable: the line names it, and a name must lead somewhere. */
export class Announcement {
  readonly #say: (text: string) => void;
  readonly #whisper: (text: string) => void;
  #opened: AnnouncedThread | undefined;
  #isDurable = false;
  readonly #isVerbose: boolean;
  #waiting: string[] = [];

  constructor(
    say: (text: string) => void,
    whisper: (text: string) => void,
    { verbose }: { readonly verbose: boolean },
  ) {
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

  /** The thread's first lines are durable. */
  started(): void {
    this.#isDurable = true;
    this.#announce();
  }

  /** Says something about the run; after the announcement, if one is still to come. */
  notice(text: string): void {
    if (this.#opened === undefined || this.#isDurable) this.#say(text);
    else this.#waiting.push(text);
  }

  /** Nothing is announced any more: what waited for it is said. */
  end(): void {
    for (const text of this.#waiting.splice(0)) this.#say(text);
  }

  #announce(): void {
    if (this.#opened === undefined || !this.#isDurable) return;
    this.#whisper(startLines(this.#opened, this.#isVerbose));
    this.end();
  }
}

/** What is in force: one line of at most 100 columns, and a second one for what few runs have. */
function startLines({ id, settings, profileName, restored }: AnnouncedThread, verbose: boolean): string {
  const { model, provider, effort, approvals: approval, cwd } = settings;
  const resolved = policyInForce(settings);
  const policy = { mode: sandboxLevelOf(resolved), network: resolved.network, ...defined({ lists: resolved.lists }) };
  const asking = { asksAboutRules: allowsAsking(approval, 'rules') };
  const plans = settings.collaboration?.mode === 'plan' ? 'plan mode, ' : '';
  const mode = `${plans}${policyWords(policy, { profileName, ...asking })}`;
  const asked = [
    model,
    ...(effort === undefined ? [] : [effort]),
    ...(provider === 'openai' ? [] : [`via ${provider}`]),
  ];
  const first = [`capstan ${version}`, `thread ${id}`, asked.join(' '), mode];
  const second = [
    ...(!verbose || restored === undefined || restored.names.length === 0 ? [] : [restoredWords(restored)]),
    ...(verbose ? [`provider ${provider}`, networkWords(policy, asking), `approval ${approvalName(approval)}`] : []),
    ...(verbose || cwd !== process.cwd() ? [`in ${shellWords([cwd])}`] : []),
  ];
  return [first, second]
    .filter((parts) => parts.length > 0)
    .map((parts) => visibleLine(parts.join(' · ')))
    .join('\n');
}

/** What a resumed thread has from its own past. */
function restoredWords({ from, names }: NonNullable<LiveThread['restored']>): string {
  const where = from === 'settings' ? 'the last change of its settings' : 'its last turn';
  return `from ${where}: ${names.map((name) => settingName(name)).join(', ')}`;
}
