import type { AgentBounds, AgentThread } from '../../ports/agents.ts';
import type { TurnEnd } from '../../ports/threads.ts';
import type { AgentIdentity, AgentReport, AgentStatus } from '../../protocol/agent.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { outcomeText } from '../../protocol/outcome.ts';

export type NextWork = { readonly message: string; readonly bounds: AgentBounds };

interface Working {
  readonly thread: AgentThread;
  /** Settles when its work is over and reported to its parent. Never rejects. */
  over: Promise<void>;
  /** The work that follows the turn that is being ended. That turn's end is then not reported. */
  next: (NextWork & { taken(isTaken: boolean): void }) | undefined;
}

type WatchedWork = { report(report: AgentReport): Promise<void>; ended(id: ThreadId): void };

export class WorkingAgents {
  readonly #watched: WatchedWork;
  readonly #working = new Map<ThreadId, Working>();
  readonly #loaded = new Map<ThreadId, AgentThread>();

  constructor(watched: WatchedWork) {
    this.#watched = watched;
  }

  get all(): readonly ThreadId[] {
    return [...this.#working.keys()];
  }

  get loaded(): readonly (readonly [ThreadId, AgentThread])[] {
    return [...this.#loaded];
  }

  find(id: ThreadId): Pick<Working, 'thread' | 'over'> | undefined {
    return this.#working.get(id);
  }

  begin({ id, path }: Pick<AgentIdentity, 'id' | 'path'>, thread: AgentThread, run: Ran): void {
    this.#loaded.set(id, thread);
    const working: Working = { thread, over: Promise.resolve(), next: undefined };
    this.#working.set(id, working);
    const work = async (): Promise<void> => {
      try {
        const status = await lastOf(working, run);
        if (status !== undefined) await this.#watched.report({ agentId: id, path, status, used: thread.used });
      } catch {
        // The thread was closed or its disk is lost: the next process that opens it reads the agent's file.
      } finally {
        this.#working.delete(id);
        working.next?.taken(false);
        this.#watched.ended(id);
      }
    };
    working.over = work();
  }

  /** Ends their turns. Resolves when their work is over and reported. */
  async interrupt(ids: readonly ThreadId[], reason: unknown): Promise<void> {
    const working = ids.flatMap((id) => this.#working.get(id) ?? []);
    await Promise.all(
      working.map(async (each) => {
        drop(each);
        await each.thread.interrupt(reason);
        await each.over;
      }),
    );
  }

  /** Ends its turn and begins the next at once; its parent gets only the last result. False if it was over. */
  async restart(id: ThreadId, next: NextWork, reason: unknown): Promise<boolean> {
    const working = this.#working.get(id);
    if (working === undefined) return false;
    drop(working);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    working.next = { ...next, taken: resolve };
    await working.thread.interrupt(reason);
    return promise;
  }

  /** Limits all agents to `next.bounds`. Of those that may do more, restarts working ones and gives up idle ones. */
  async narrow(next: NextWork, reason: unknown): Promise<void> {
    const wider = [...this.#loaded].filter(([, thread]) => !thread.fits(next.bounds)).map(([id]) => id);
    await Promise.all(
      wider.map(async (id) => {
        if (this.#working.has(id)) await this.restart(id, next, reason);
        else await this.leave([id]);
      }),
    );
  }

  async leave(ids: readonly ThreadId[]): Promise<void> {
    const loaded = ids.flatMap((id) => this.#loaded.get(id) ?? []);
    // A lost disk is reported by its own thread.
    await Promise.allSettled(loaded.map((thread) => thread.leave()));
  }
}

type Ran = ReturnType<AgentThread['run']>;

async function lastOf(working: Working, first: Ran): Promise<AgentStatus | undefined> {
  let status = await first.then(agentStatusAfterTurn, erroredStatus);
  for (;;) {
    const { next, thread } = working;
    if (next === undefined || status?.kind !== 'interrupted') return status;
    working.next = undefined;
    next.taken(true);
    status = await thread.run(next.message, next.bounds).then(agentStatusAfterTurn, erroredStatus);
  }
}

function drop(working: Working): void {
  working.next?.taken(false);
  working.next = undefined;
}

/** Returns undefined if the turn has not ended but waits for the user. */
function agentStatusAfterTurn(end: TurnEnd): AgentStatus | undefined {
  switch (end.kind) {
    case 'completed':
      return { kind: 'completed', answer: end.lastMessage };
    case 'aborted':
      return { kind: 'interrupted' };
    case 'failed':
      return { kind: 'errored', message: outcomeText(end.outcome) };
    case 'suspended':
      return undefined;
  }
}

const erroredStatus = (error: unknown): AgentStatus => ({ kind: 'errored', message: messageOfThrown(error) });

export const neverStartedStatus: AgentStatus = {
  kind: 'errored',
  message: 'It was not started: the program ended before it could begin.',
};

export function lastAnswerText(last: AgentStatus | 'waits' | undefined): string | undefined {
  if (last === undefined || last === 'waits') return undefined;
  return last.kind === 'completed' ? last.answer : last.kind === 'errored' ? last.message : undefined;
}
