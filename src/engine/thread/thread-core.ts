import type { Settings, TurnSettings } from '../../core/envelope/settings.ts';
import { costForOthersLine, threadCostOf } from '../../core/state/drafts/turn-lines.ts';
import { agentLine, costOfReport } from '../../core/state/fold/agents.ts';
import { spendingAllowances, storedSpendingLimits } from '../../core/state/usage-and-limits.ts';
import type { AgentParent } from '../../ports/agents.ts';
import type { BackgroundHost } from '../../ports/threads.ts';
import { addUsage } from '../../protocol/usage.ts';
import { Inbox, type SubmittedWords } from './inbox.ts';
import { OpenQuestions } from './open-questions.ts';
import { recordInForce } from './record/record-context.ts';
import { ThreadCommandSessions } from './running-commands.ts';
import type { ThreadOpening } from './thread-opening.ts';
import type { SavedRules, TurnInput } from './thread-parts.ts';
import { type SubmittedSettings, ThreadSettings } from './thread-settings.ts';

export type ThreadCore = ReturnType<typeof createThreadCore>;

/** Called once per thread. `closing` aborts when the thread is given up. */
export function createThreadCore({ id, parts, log, inForce, options }: ThreadOpening, closing: AbortSignal) {
  const inbox = new Inbox(log, parts.ids, () => recordInForce(log, id, settings.inForce));
  // Subscribers must not hear of a turn whose words could be lost.
  log.beforeDurable(() => inbox.keep());
  const sessions = new ThreadCommandSessions(parts, log, id);
  const shared = { id, parts, log, inbox, closing };
  const settings = new ThreadSettings(shared, options.settings, inForce);
  const savedRules: SavedRules = { prefixes: [], hosts: [], tools: [] };
  const own = { questions: new OpenQuestions(), work: new WorkQueue(), warned: new Set<string>(), savedRules };
  return { ...shared, settings, sessions, ...own };
}

export interface TurnRequest {
  readonly signal: AbortSignal;
  readonly words?: SubmittedWords;
  readonly own?: Omit<TurnSettings, keyof Settings>;
  readonly continues?: TurnInput['continues'];
  readonly change?: SubmittedSettings;
}

/** A turn under the settings at its submission. It ends when the thread is closed. */
export function createTurnInput(core: ThreadCore, submitted: Settings, asked: TurnRequest): TurnInput {
  const { id: threadId, inbox, questions, settings, warned, savedRules, sessions, closing } = core;
  const { words, own, continues, change } = asked;
  const signal = AbortSignal.any([asked.signal, closing]);
  const known = { threadId, words, continues, signal, inbox, questions, warned, savedRules, sessions };
  return {
    ...known,
    settings: { ...submitted, ...own },
    isOutdated: () => settings.current !== submitted,
    begin: change && ((start) => settings.begin(change, start)),
  };
}

/** A fork knows the agents of the source thread, but does not speak for them. */
export function agentParent({ id, log, inbox }: ThreadCore): AgentParent {
  return {
    id,
    get turnId() {
      return log.state.openTurn?.id;
    },
    get agents() {
      return log.state.agents.filter(({ parentId }) => parentId === id);
    },
    get unread() {
      return inbox.waiting.flatMap((mail) => (mail.kind === 'agent' ? mail.report.agentId : []));
    },
    left: (beside) => spendingAllowances(log.state, storedSpendingLimits(log.state.envelope), beside),
    async note(note) {
      log.record(agentLine(note));
      await log.durable();
    },
    async report(report) {
      const total = addUsage(log.state.usage.total, costOfReport(log.state.agents, report));
      inbox.accept({ kind: 'agent', report, total });
      await log.durable();
    },
    tell(event) {
      log.tellPassing(event);
      // A lost disk is reported by the next caller that needs it.
      log.durable().catch(() => {});
    },
  };
}

/** `window`: the current one, in tokens. */
export function backgroundHost({ id, log }: ThreadCore, window: () => number): BackgroundHost {
  // A lost disk is reported by the next turn.
  const settle = (): void => void log.durable().catch(() => {});
  return {
    id,
    spend(usage) {
      if (usage.total === 0) return;
      const { total, last } = threadCostOf(log.state.usage);
      log.record(costForOthersLine({ total: addUsage(total, usage), last, window: window() }));
      settle();
    },
    warn(outcome) {
      log.tellPassing({ kind: 'warning', outcome });
      settle();
    },
  };
}

/** Runs the turns and compactions of one thread one after the other, in order of submission. */
class WorkQueue {
  /** Settles when all work added so far is over. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #holds = 0;

  get isBusy(): boolean {
    return this.#holds > 0;
  }

  /** Runs the work after all work added before it, with the value of `known`. */
  add<Known, Result>(known: Promise<Known>, work: (known: Known) => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const result = Promise.all([known, before] as const).then(([value]) => work(value));
    this.#last = Promise.allSettled([before, result]).then(() => undefined);
    return result;
  }

  /** Makes later submissions wait until the work is over. */
  submit<Known, Result>(known: Promise<Known>, work: (known: Known) => Promise<Result>): Promise<Result> {
    const release = this.hold();
    const result = this.add(known, work);
    result.then(release, release);
    return result;
  }

  /** Submissions have to wait until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    return () => void (this.#holds -= 1);
  }
}
