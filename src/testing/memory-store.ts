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
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import { type JsonObject, stringAt } from '../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../protocol/line.ts';
import { Fault } from '../protocol/outcome.ts';
import { lastingNotes } from '../state/sealed-lines.ts';

interface MemoryRollout {
  readonly rolloutId: string;
  readonly threadId: ThreadId;
  readonly meta: JsonObject;
  readonly base?: RolloutPlace;
  /** Without the first line, which `meta` stands for. */
  readonly lines: Line[];
  first?: Line;
}

/** Rollouts of one process that are gone with it: for tests that need no disk. New form only. */
export function createMemoryStore(clock: Clock): RolloutStore {
  let rollouts: readonly MemoryRollout[] = [];
  const archived = new Set<ThreadId>();
  const writers = new Set<ThreadId>();

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
    return structuredClone({
      timestamp,
      ordinal: ordinal as Ordinal,
      type,
      payload,
      ...(metadata === undefined ? {} : { metadata }),
    });
  }

  function write(rollout: MemoryRollout): Owned {
    let isOpen = true;
    const last = (rollout.lines.at(-1) ?? rollout.first)?.ordinal;
    let next = last === undefined ? (rollout.base?.end ?? 0) : last + 1;
    return {
      kind: 'owned',
      path: `memory:${rollout.rolloutId}`,
      mode: 'paginated',
      append(drafts) {
        if (drafts.length === 0) return [];
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
      durable: () => Promise.resolve(),
      async close() {
        if (isOpen) writers.delete(rollout.threadId);
        isOpen = false;
      },
    };
  }

  function taken(id: ThreadId): OpenRefused | undefined {
    if (writers.has(id)) return refused('thread-locked', `Thread ${id} is being written by this process.`);
    writers.add(id);
    return undefined;
  }

  /** The rollout itself, or one that it goes on from: a place at the very beginning is the place that it came from. */
  function baseAt({ rolloutId, end }: RolloutPlace): RolloutPlace | 'start' | OpenRefused {
    const rollout = rollouts.find((one) => one.rolloutId === rolloutId);
    const last = rollout?.lines.at(-1)?.ordinal ?? rollout?.first?.ordinal ?? -1;
    if (rollout === undefined || end > last + 1) {
      return refused('place-unknown', `There is no such place in rollout ${rolloutId}.`);
    }
    const first = rollout.base?.end ?? 0;
    if (end > first + 1) return { rolloutId, end };
    return rollout.base === undefined ? 'start' : baseAt({ ...rollout.base, end: Math.min(end, first) as Ordinal });
  }

  function currentOf(id: ThreadId): CurrentRollout | OpenRefused {
    const own = rolloutOf(id);
    if (own === undefined) return unknown(id);
    const { rolloutId, meta } = own;
    const path = `memory:${rolloutId}`;
    return { kind: 'current', rolloutId, path, mode: 'paginated', archived: archived.has(id), meta };
  }

  function held(id: ThreadId, current: CurrentRollout): HeldThread {
    const paths = (): readonly string[] =>
      rollouts.filter(({ threadId }) => threadId === id).map(({ rolloutId }) => `memory:${rolloutId}`);
    return {
      kind: 'held',
      current,
      async revert({ rolloutId, to, note, drafts }) {
        if (!rollouts.some((one) => one.threadId === id && one.rolloutId === to.rolloutId)) {
          return refused('place-unknown', `Rollout ${to.rolloutId} is not one of this thread.`);
        }
        const base = baseAt(to);
        if (typeof base === 'object' && 'kind' in base) return base;
        const meta = { ...current.meta, capstan: { ...lastingNotes(current.meta), ...note } };
        const place = base === 'start' ? {} : { base };
        const start = base === 'start' ? 0 : base.end;
        const first = stamp(start, { type: lineType.sessionMeta, payload: meta });
        const lines = drafts.map((draft, at) => stamp(start + 1 + at, draft));
        rollouts = [...rollouts, { rolloutId, threadId: id, meta, lines, first, ...place }];
        return { ...current, rolloutId, path: `memory:${rolloutId}`, meta };
      },
      async archive() {
        archived.add(id);
        return paths();
      },
      async unarchive() {
        return archived.delete(id) ? paths() : [];
      },
      async forks() {
        const own = new Set(rollouts.filter(({ threadId }) => threadId === id).map(({ rolloutId }) => rolloutId));
        const forks = rollouts.filter(({ threadId, base }) => threadId !== id && own.has(base?.rolloutId ?? ''));
        return [...new Set(forks.map(({ threadId }) => threadId))];
      },
      async delete() {
        const gone = paths();
        rollouts = rollouts.filter(({ threadId }) => threadId !== id);
        archived.delete(id);
        return gone;
      },
      async release() {
        writers.delete(id);
      },
    };
  }

  return {
    async create(id, described) {
      const refusal = taken(id);
      if (refusal !== undefined) return refusal;
      const meta = { id, ...(await described), history_mode: 'paginated' };
      return write({ rolloutId: id, threadId: id, meta, lines: [] });
    },
    async fork(id, described, from) {
      const base = baseAt(from);
      if (typeof base === 'object' && 'kind' in base) return base;
      const refusal = taken(id);
      if (refusal !== undefined) return refusal;
      const meta = { id, ...described, history_mode: 'paginated' };
      return write({ rolloutId: id, threadId: id, meta, lines: [], ...(base === 'start' ? {} : { base }) });
    },
    async open(id) {
      const own = rolloutOf(id);
      if (own === undefined) return unknown(id);
      if (archived.has(id)) return refused('thread-archived', `Thread ${id} is archived.`);
      return taken(id) ?? write(own);
    },
    read,
    readBack,
    current: async (id) => currentOf(id),
    async hold(id) {
      const current = currentOf(id);
      if (current.kind === 'refused') return current;
      return taken(id) ?? held(id, current);
    },
  };
}

function isWanted({ type, payload }: Line, wanted: Wanted = () => true): boolean {
  return wanted({ type, payloadType: stringAt(payload, 'type') });
}

function unknown(id: ThreadId): OpenRefused {
  return refused('thread-unknown', `There is no thread ${id}.`);
}

function refused(code: OpenRefusedCode, message: string): OpenRefused {
  return { kind: 'refused', code, message, next: '' };
}
