import type { Clock } from '../ports/clock.ts';
import type {
  CurrentRollout,
  HeldThread,
  OpenRefused,
  OpenRefusedCode,
  Owned,
  ReadOptions,
  ReadReport,
  RolloutPlace,
  RolloutStore,
  Wanted,
} from '../ports/rollout-store.ts';
import { defined } from '../protocol/defined.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import { type JsonObject, stringAt } from '../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../protocol/line.ts';
import { Fault } from '../protocol/outcome.ts';
import { leaseLost } from '../rollout/refusals.ts';
import type { KnownThread } from './folded-directory.ts';
import { createMemoryLeases, type MemoryLease } from './memory-leases.ts';

interface MemoryRollout {
  readonly rolloutId: string;
  readonly threadId: ThreadId;
  readonly meta: JsonObject;
  readonly base?: RolloutPlace;
  /** Without the first line, which `meta` stands for. */
  readonly lines: Line[];
  first?: Line;
}

export interface MemoryRollouts extends RolloutStore {
  /** Every thread that has a line. */
  known(): readonly KnownThread[];
}

/** Rollouts of one process that are gone with it. New form only. */
export function createMemoryRollouts(clock: Clock, leaseMs: number): MemoryRollouts {
  let rollouts: readonly MemoryRollout[] = [];
  const archived = new Set<ThreadId>();
  const leases = createMemoryLeases(clock, leaseMs);

  const rolloutOf = (id: ThreadId): MemoryRollout | undefined => rollouts.findLast(({ threadId }) => threadId === id);

  /** Lines before a place, without first lines. */
  function history({ rolloutId, end }: RolloutPlace): readonly Line[] {
    const rollout = rollouts.find((one) => one.rolloutId === rolloutId);
    if (rollout === undefined) return [];
    const { base, lines } = rollout;
    const taken = base === undefined ? [] : history({ ...base, end: Math.min(base.end, end) as Ordinal });
    return [...taken, ...lines.filter(({ ordinal }) => (ordinal ?? 0) < end)];
  }

  function allLines(id: ThreadId): readonly Line[] {
    const own = rolloutOf(id);
    if (own?.first === undefined) throw new Fault(unknown(id));
    return [own.first, ...history({ rolloutId: own.rolloutId, end: Number.MAX_SAFE_INTEGER as Ordinal })];
  }

  async function* read(id: ThreadId, { from, to, wanted }: ReadOptions): AsyncGenerator<Line, ReadReport> {
    const [first, ...lines] = allLines(id);
    for (const line of from === 0 && first !== undefined ? [first, ...lines] : lines) {
      const at = line === first ? 0 : (line.ordinal ?? 0);
      if (at >= from && (to === undefined || at < to) && isWanted(line, wanted)) yield line;
    }
    return { skipped: 0 };
  }

  async function* readBack(id: ThreadId, wanted?: Wanted): AsyncGenerator<Line, ReadReport> {
    for (const line of allLines(id).toReversed()) if (isWanted(line, wanted)) yield line;
    return { skipped: 0 };
  }

  function stamp(ordinal: number, { type, payload, metadata }: LineDraft): Line {
    const timestamp = new Date(clock.now()).toISOString();
    return structuredClone({ timestamp, ordinal: ordinal as Ordinal, type, payload, ...defined({ metadata }) });
  }

  function write(rollout: MemoryRollout, own: MemoryLease): Owned {
    const { threadId } = rollout;
    let lost: Fault | undefined;
    const last = (rollout.lines.at(-1) ?? rollout.first)?.ordinal;
    let next = last === undefined ? (rollout.base?.end ?? 0) : last + 1;
    return {
      kind: 'owned',
      epoch: own.epoch,
      location: locationOf(rollout),
      mode: 'paginated',
      append(drafts) {
        if (drafts.length === 0) return [];
        if (!leases.renew(threadId, own)) lost ??= leaseLost(`thread ${threadId}`);
        // As a writer would whose store is far away, it learns of it when it asks for safety.
        if (lost !== undefined) return drafts.map((draft) => stamp(next++, draft));
        const made: Line[] = [];
        if (rollout.first === undefined) {
          rollout.first = stamp(next++, { type: lineType.sessionMeta, payload: rollout.meta });
          rollouts = [...rollouts, rollout];
          made.push(rollout.first);
        }
        for (const draft of drafts) {
          const line = stamp(next++, draft);
          rollout.lines.push(line);
          made.push(line);
        }
        return made;
      },
      async durable() {
        if (lost !== undefined) throw lost;
      },
      async close() {
        leases.giveBack(threadId, own);
        if (lost !== undefined) throw lost;
      },
    };
  }

  /** What continues from a place. A place at the very beginning of a rollout is the place that it came from, if any. */
  function continuing({ rolloutId, end }: RolloutPlace): Pick<MemoryRollout, 'base'> | OpenRefused {
    const rollout = rollouts.find((one) => one.rolloutId === rolloutId);
    const last = rollout?.lines.at(-1)?.ordinal ?? rollout?.first?.ordinal ?? -1;
    if (rollout === undefined || end > last + 1) {
      return refused('place-unknown', `There is no such place in rollout ${rolloutId}.`);
    }
    const first = rollout.base?.end ?? 0;
    if (end > first + 1) return { base: { rolloutId, end } };
    return rollout.base === undefined ? {} : continuing({ ...rollout.base, end: Math.min(end, first) as Ordinal });
  }

  async function begin(
    id: ThreadId,
    described: JsonObject | Promise<JsonObject>,
    from: Pick<MemoryRollout, 'base'>,
  ): Promise<Owned | OpenRefused> {
    const own = leases.take(id);
    if (own === undefined) return locked(id);
    const meta = { id, ...(await described), history_mode: 'paginated' };
    return write({ rolloutId: id, threadId: id, meta, lines: [], ...from }, own);
  }

  function currentOf(id: ThreadId): CurrentRollout | OpenRefused {
    const own = rolloutOf(id);
    if (own === undefined) return unknown(id);
    const { rolloutId, meta } = own;
    const location = locationOf(own);
    return { kind: 'current', rolloutId, location, mode: 'paginated', archived: archived.has(id), meta };
  }

  function held(id: ThreadId, current: CurrentRollout, own: MemoryLease): HeldThread {
    function check(): void {
      if (!leases.renew(id, own)) throw leaseLost(`thread ${id}`);
    }
    return {
      kind: 'held',
      epoch: own.epoch,
      current,
      async revert({ rolloutId, to, note, drafts }) {
        check();
        if (!rollouts.some((one) => one.threadId === id && one.rolloutId === to.rolloutId)) {
          return refused('place-unknown', `Rollout ${to.rolloutId} is not one of this thread.`);
        }
        const from = continuing(to);
        if ('kind' in from) return from;
        const meta = { ...current.meta, capstan: note };
        const start = from.base?.end ?? 0;
        const first = stamp(start, { type: lineType.sessionMeta, payload: meta });
        const lines = drafts.map((draft, at) => stamp(start + 1 + at, draft));
        const made = { rolloutId, threadId: id, meta, lines, first, ...from };
        rollouts = [...rollouts, made];
        return { ...current, rolloutId, location: locationOf(made), meta };
      },
      async archive() {
        check();
        archived.add(id);
      },
      async unarchive() {
        check();
        return archived.delete(id) ? 'unarchived' : 'active';
      },
      async forks() {
        const own = new Set(rollouts.filter(({ threadId }) => threadId === id).map(({ rolloutId }) => rolloutId));
        const forks = rollouts.filter(({ threadId, base }) => threadId !== id && own.has(base?.rolloutId ?? ''));
        return [...new Set(forks.map(({ threadId }) => threadId))];
      },
      async delete() {
        check();
        const gone = rollouts.filter(({ threadId }) => threadId === id);
        rollouts = rollouts.filter((rollout) => !gone.includes(rollout));
        archived.delete(id);
        return gone.map(locationOf);
      },
      async release() {
        leases.giveBack(id, own);
      },
    };
  }

  return {
    create: (id, described) => begin(id, described, {}),
    async fork(id, described, from) {
      const place = continuing(from);
      return 'kind' in place ? place : begin(id, described, place);
    },
    async open(id) {
      const rollout = rolloutOf(id);
      if (rollout === undefined) return unknown(id);
      if (archived.has(id)) return refused('thread-archived', `Thread ${id} is archived.`);
      const own = leases.take(id);
      return own === undefined ? locked(id) : write(rollout, own);
    },
    read,
    readBack,
    current: async (id) => currentOf(id),
    async hold(id) {
      const current = currentOf(id);
      if (current.kind === 'refused') return current;
      const own = leases.take(id);
      return own === undefined ? locked(id) : held(id, current, own);
    },
    known: () =>
      [...new Set(rollouts.map(({ threadId }) => threadId))].map((id) => {
        const { first, lines } = rolloutOf(id)!;
        const updatedAt = Date.parse((lines.at(-1) ?? first)?.timestamp ?? '');
        return { id, location: locationOf(rolloutOf(id)!), updatedAt, archived: archived.has(id) };
      }),
  };
}

function locationOf({ rolloutId }: Pick<MemoryRollout, 'rolloutId'>): string {
  return `memory:${rolloutId}`;
}

function isWanted({ type, payload }: Line, wanted: Wanted = () => true): boolean {
  return wanted({ type, payloadType: stringAt(payload, 'type') });
}

function locked(id: ThreadId): OpenRefused {
  return refused('thread-locked', `Thread ${id} is being written by this process.`);
}

function unknown(id: ThreadId): OpenRefused {
  return refused('thread-unknown', `There is no thread ${id}.`);
}

function refused(code: OpenRefusedCode, message: string): OpenRefused {
  return { kind: 'refused', code, message, next: '' };
}
