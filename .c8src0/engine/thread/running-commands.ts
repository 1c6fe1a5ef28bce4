import type { CallTimeRecording } from '../../ports/workspace.ts';
import type { Clock } from '../../ports/system.ts';
import type { CommandSessionEnd, CommandSessionFate, CommandSessions } from '../../ports/commands.ts';
import { defined } from '../../base/objects.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { ApprovalPolicy, PermissionProfile, ResolvedPolicy } from '../../protocol/permissions.ts';
import type { CommandItem } from '../../protocol/turn-item.ts';
import { itemCompletedLine } from '../../core/state/drafts/item-lines.ts';
import { sessionDroppedLine, sessionExitedLine, sessionStartedLine } from '../../core/state/fold/running-calls.ts';
import type { StartedSession } from '../../adapters/tools/tool.ts';
import type { ThreadLog } from './log.ts';
import type { ThreadParts } from './thread-parts.ts';
import type { TurnEffects } from './turn-effects.ts';

export interface CallLeftRunning {
  readonly callId: string;
  readonly turnId: TurnId;
  readonly item: CommandItem;
  readonly started: StartedSession;
  readonly policy: ResolvedPolicy;
  /** The profile of the turn that started the command. A turn with a narrower profile ends it. */
  readonly profile: PermissionProfile;
  /** Present if the model can type into it: the approvals under which it began, and whether it left the sandbox. */
  readonly typed?: { readonly approval: ApprovalPolicy; readonly left: boolean };
  /** It may do what was granted for its turn alone, and ends with the turn. */
  readonly forTurn?: true;
  /** The turn to which its file changes are attributed. Absent: it may change none. */
  readonly effects?: TurnEffects;
}

export interface RunningCommandSession {
  readonly id: number;
  readonly argv: readonly string[];
  readonly itemId: string;
  output(): string;
}

interface Live extends Omit<CallLeftRunning, 'effects'> {
  readonly mayWrite: boolean;
  effects: TurnEffects | undefined;
  watch: CallTimeRecording | undefined;
}

/** The sessions of one thread. Their ends are recorded here, whether or not a turn runs. */
export class ThreadCommandSessions {
  /** Absent: commands do not outlive their calls. */
  readonly #table: CommandSessions | undefined;
  readonly #clock: Clock;
  readonly #log: ThreadLog;
  readonly #threadId: ThreadId;
  readonly #live = new Map<number, Live>();
  readonly #held = new Set<number>();

  constructor({ sessions, clock }: Pick<ThreadParts, 'sessions' | 'clock'>, log: ThreadLog, threadId: ThreadId) {
    this.#table = sessions;
    this.#clock = clock;
    this.#log = log;
    this.#threadId = threadId;
  }

  /** True if a call can ask for it: it runs, or its end was not reported to the model. */
  isHeld(id: number): boolean {
    return this.#held.has(id);
  }

  /** True for the item of a running command, which does not end with its turn. */
  owns(itemId: string): boolean {
    return [...this.#live.values()].some(({ item }) => item.id === itemId);
  }

  get running(): readonly RunningCommandSession[] {
    return [...this.#live].map(([id, { item, started }]) => ({
      id,
      argv: item.argv,
      itemId: item.id,
      output: () => started.session.said().text,
    }));
  }

  idsOf(isSuch: (started: Pick<CallLeftRunning, 'profile' | 'typed' | 'forTurn'>) => boolean): readonly number[] {
    return [...this.#live].filter(([, live]) => isSuch(live)).map(([id]) => id);
  }

  /** Must be called before the output of the call is recorded. */
  adopt({ effects, ...call }: CallLeftRunning): void {
    const { callId, turnId, item, started } = call;
    const { session, known: process, changes } = started;
    const ids = { id: session.id, threadId: this.#threadId, turnId, callId };
    this.#log.record(sessionStartedLine({ ...ids, at: this.#clock.now(), item, ...defined({ process }) }));
    const live = { ...call, effects, mayWrite: effects !== undefined, watch: changes?.begun };
    this.#live.set(session.id, live);
    this.#held.add(session.id);
    void this.#follow(session.id, live);
  }

  /** Removes sessions whose end the model knows, or is about to read. */
  drop(dropped: readonly { readonly id: number; readonly fate: CommandSessionFate }[] = []): void {
    const known = new Set(this.#log.state.sessions.map(({ id }) => id));
    for (const { id, fate } of dropped.filter((each) => known.has(each.id))) {
      this.#held.delete(id);
      this.#log.record(sessionDroppedLine(id, fate));
      this.#table?.remember(id, fate);
    }
  }

  async end(ids: readonly number[], fate: CommandSessionFate): Promise<void> {
    const ends = ids.map((id) => this.#live.get(id)?.started.session.ended);
    await Promise.all(ids.map((id) => this.#table?.end(id, fate)));
    await Promise.all(ends);
  }

  /** Attributes file changes of running commands, from now on, to the turn with these effects. */
  join(effects: TurnEffects): void {
    for (const live of this.#live.values()) {
      if (!live.mayWrite) continue;
      live.effects = effects;
      live.watch ??= live.started.changes?.again();
      // Do not wait for the snapshot: the commands run already.
      effects.before(live.policy).catch(() => {});
    }
  }

  /** The turn ends: file changes until now are its own. Surfaces learn that its commands still run. */
  leave(turn: { readonly turnId: TurnId; readonly effects: TurnEffects }): void {
    for (const live of this.#live.values()) {
      if (live.effects === turn.effects) settleFiles(live);
      if (live.turnId !== turn.turnId) continue;
      const item = { ...live.item, output: live.started.session.said().text };
      this.#log.tell({ kind: 'item-updated', turnId: turn.turnId, item });
    }
  }

  async #follow(id: number, live: Live): Promise<void> {
    const end = await live.started.session.ended;
    this.#live.delete(id);
    settleFiles(live);
    const item = itemAtEnd(live.item, end);
    const { turnId } = live;
    try {
      const completed = itemCompletedLine({ threadId: this.#threadId, turnId, at: this.#clock.now(), item });
      this.#log.record(completed, sessionExitedLine(id, end.fate));
      this.#log.tell({ kind: 'item-completed', turnId, item });
      await this.#log.durable();
    } catch {
      // A lost disk is reported by the next caller that needs it.
    }
  }

  async close(): Promise<void> {
    const ends = [...this.#live.values()].map(({ started }) => started.session.ended);
    await this.#table?.close();
    // `#follow` began to wait for these ends earlier, so it has handled them by then.
    await Promise.all(ends);
  }
}

function settleFiles(live: Live): void {
  const touched = live.watch && ({ kind: 'time', time: live.watch.end() } as const);
  live.effects?.ended(touched);
  live.effects = undefined;
  live.watch = undefined;
}

function itemAtEnd(item: CommandItem, { exitCode, fate, output, durationMs }: CommandSessionEnd): CommandItem {
  const ended = { ...item, output: output.text, durationMs };
  if (exitCode !== undefined) return { ...ended, status: exitCode === 0 ? 'completed' : 'failed', exitCode };
  return { ...ended, status: 'failed', unfinished: fate === 'timed-out' ? fate : 'interrupted' };
}
