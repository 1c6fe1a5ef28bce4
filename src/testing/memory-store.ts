import { leaseLost } from '../adapters/rollout/store/refusals.ts';
import { defined } from '../base/objects.ts';
import { assertKnownKeys } from '../core/envelope/read-options.ts';
import type { Clock } from '../ports/system.ts';
import type {
  Blobs,
  CurrentRollout,
  HeldThread,
  OpenRefused,
  OpenRefusedCode,
  Owned,
  ReadOptions,
  ReadReport,
  RolloutPlace,
  RolloutStore,
  ThreadStore,
  Wanted,
} from '../ports/thread-store.ts';
import type { SnapshotContents, WorkspaceContents } from '../ports/workspace.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import { type JsonObject, stringAt } from '../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../protocol/line.ts';
import { Fault } from '../protocol/outcome.ts';
import { createFoldedDirectory, type KnownThread } from './folded-directory.ts';
import { createHash } from 'node:crypto';

export interface MemoryStoreOptions {
  /** After this much silence a writer can lose its thread to the next one. Default: never. */
  readonly leaseMs?: number;
}

export function createMemoryStore(clock: Clock, options: MemoryStoreOptions = {}): ThreadStore {
  const { leaseMs = Infinity } = assertKnownKeys(options, { leaseMs: true }, 'createMemoryStore()');
  const { known, ...rollouts } = createMemoryRollouts(clock, leaseMs);
  const names = new Map<ThreadId, string>();
  const directory = createFoldedDirectory({
    rollouts,
    threads: async () => known().map((thread) => ({ ...thread, name: names.get(thread.id) ?? '' })),
    rename: async (id, name) => void names.set(id, name),
  });
  return { rollouts, directory, blobs: createMemoryBlobs(), contents: createMemoryContents() };
}

function createMemoryBlobs(): Blobs {
  const kept = new Map<string, Uint8Array>();
  return {
    keep(bytes) {
      const ref = { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
      kept.set(ref.sha256, bytes.slice());
      return { ref, kept: true, durable: Promise.resolve() };
    },
    async load(sha256) {
      const bytes = kept.get(sha256);
      if (bytes !== undefined) return { kind: 'blob', bytes };
      return { kind: 'missing', code: 'blob-missing', message: `There is no blob ${sha256}.`, next: '' };
    },
  };
}

function createMemoryContents(): SnapshotContents {
  const workspaces = new Map<string, WorkspaceContents>();
  return {
    async of(root) {
      const contents = workspaces.get(root) ?? workspaceInMemory();
      workspaces.set(root, contents);
      return contents;
    },
  };
}

function workspaceInMemory(): WorkspaceContents {
  const kept = new Map<string, Uint8Array>();
  let note: string | undefined;
  return {
    load: async (hash) => kept.get(hash),
    has: async (hash) => kept.has(hash),
    bytes: async () => [...kept.values()].reduce((sum, { length }) => sum + length, 0),
    begin() {
      const added = new Map<string, Uint8Array>();
      return {
        add: (hash, content) => void added.set(hash, content.slice()),
        async finish() {
          for (const [hash, content] of added) kept.set(hash, content);
        },
        discard: async () => added.clear(),
      };
    },
    loadNote: async () => note,
    hasNote: async () => note !== undefined,
    saveNote: async (text) => void (note = text),
  };
}

interface MemoryRollout {
  readonly rolloutId: string;
  readonly threadId: ThreadId;
  readonly meta: JsonObject;
  readonly base?: RolloutPlace;
  /** Without the first line, which is in `meta`. */
  readonly lines: Line[];
  first?: Line;
}

/** Supports only the new form. */
function createMemoryRollouts(clock: Clock, leaseMs: number): RolloutStore & { known(): readonly KnownThread[] } {
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
        // Like a writer with a remote store, it learns of the loss only from `durable`.
        if (lost !== undefined) return drafts.map((draft) => stamp(next++, draft));
        const made: Line[] = [];
        if (rollout.first === undefined) {
          rollout.first = stamp(next++, { type: lineType.sessionMeta, payload: rollout.meta });
          rollouts = [...rollouts, rollout];
          made.push(rollout.first);
        }
        const lines = drafts.map((draft) => stamp(next++, draft));
        rollout.lines.push(...lines);
        return [...made, ...lines];
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

  /** The base for continuing from a place. At the very beginning of a rollout, its own base, if it has one. */
  function continuing({ rolloutId, end }: RolloutPlace): Pick<MemoryRollout, 'base'> | OpenRefused {
    const rollout = rollouts.find((one) => one.rolloutId === rolloutId);
    const last = rollout?.lines.at(-1)?.ordinal ?? rollout?.first?.ordinal ?? -1;
    if (rollout === undefined || end > last + 1)
      return refused('place-unknown', `There is no such place in rollout ${rolloutId}.`);
    const first = rollout.base?.end ?? 0;
    if (end > first + 1) return { base: { rolloutId, end } };
    return rollout.base === undefined ? {} : continuing({ ...rollout.base, end: Math.min(end, first) as Ordinal });
  }

  async function begin(id: ThreadId, described: JsonObject | Promise<JsonObject>, from: Pick<MemoryRollout, 'base'>) {
    const own = leases.take(id);
    if (own === undefined) return locked(id);
    const meta = { id, ...(await described), history_mode: 'paginated' };
    return write({ rolloutId: id, threadId: id, meta, lines: [], ...from }, own);
  }

  function currentOf(id: ThreadId): CurrentRollout | OpenRefused {
    const own = rolloutOf(id);
    if (own === undefined) return unknown(id);
    const known = { rolloutId: own.rolloutId, location: locationOf(own), archived: archived.has(id), meta: own.meta };
    return { kind: 'current', mode: 'paginated', ...known };
  }

  function held(id: ThreadId, current: CurrentRollout, own: MemoryLease): HeldThread {
    const check = (): void => {
      if (!leases.renew(id, own)) throw leaseLost(`thread ${id}`);
    };
    return {
      kind: 'held',
      epoch: own.epoch,
      current,
      async revert({ rolloutId, to, note, drafts }) {
        check();
        if (!rollouts.some((one) => one.threadId === id && one.rolloutId === to.rolloutId))
          return refused('place-unknown', `Rollout ${to.rolloutId} is not one of this thread.`);
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
      release: async () => leases.giveBack(id, own),
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

const locationOf = ({ rolloutId }: Pick<MemoryRollout, 'rolloutId'>): string => `memory:${rolloutId}`;

const isWanted = ({ type, payload }: Line, wanted: Wanted = () => true): boolean =>
  wanted({ type, payloadType: stringAt(payload, 'type') });

const locked = (id: ThreadId): OpenRefused =>
  refused('thread-locked', `Thread ${id} is being written by this process.`);

const unknown = (id: ThreadId): OpenRefused => refused('thread-unknown', `There is no thread ${id}.`);
const refused = (code: OpenRefusedCode, message: string): OpenRefused => ({ kind: 'refused', code, message, next: '' });
type MemoryLease = { readonly epoch: number; until: number };

/** A lease lasts as long as its writer is active, and longer if no other writer comes. */
function createMemoryLeases(clock: Clock, leaseMs: number) {
  const leases = new Map<ThreadId, MemoryLease>();
  let lastEpoch = 0;
  return {
    /** Undefined while a recently active writer holds it. */
    take(id: ThreadId): MemoryLease | undefined {
      const held = leases.get(id);
      if (held !== undefined && clock.now() < held.until) return undefined;
      const taken = { epoch: ++lastEpoch, until: clock.now() + leaseMs };
      leases.set(id, taken);
      return taken;
    },
    /** Extends the lease. False if the thread's lease is another one by now. */
    renew(id: ThreadId, lease: MemoryLease): boolean {
      lease.until = clock.now() + leaseMs;
      return leases.get(id) === lease;
    },
    giveBack(id: ThreadId, lease: MemoryLease): void {
      if (leases.get(id) === lease) leases.delete(id);
    },
  };
}
