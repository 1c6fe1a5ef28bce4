import { createHash } from 'node:crypto';
import {
  type Blobs,
  type Clock,
  type CurrentRollout,
  Fault,
  type HeldThread,
  type JsonObject,
  type Line,
  type LineDraft,
  type OpenRefused,
  type OpenRefusedCode,
  type Ordinal,
  type Owned,
  type RolloutPlace,
  type RolloutStore,
  type SnapshotContents,
  type ThreadId,
  type ThreadStore,
  type Wanted,
} from '../../src/index.ts';
import { createFoldedDirectory, type KnownThread } from '../../src/testing/index.ts';

/** Text under text, far away: what a database is to a store. Work on its rows is done as a whole. */
export class Table {
  readonly #rows = new Map<string, string>();

  async transact<Result>(work: (rows: Rows) => Result): Promise<Result> {
    await new Promise((resolve) => setImmediate(resolve));
    const rows = this.#rows;
    return work({
      get: (key) => JSON.parse(rows.get(key) ?? 'null'),
      put: (key, value) => void rows.set(key, JSON.stringify(value)),
      remove: (key) => void rows.delete(key),
      keys: (start) => [...rows.keys()].filter((key) => key.startsWith(start)),
    });
  }
}

interface Rows {
  get<Value>(key: string): Value | null;
  put(key: string, value: unknown): void;
  remove(key: string): void;
  keys(start: string): readonly string[];
}

interface ThreadRow {
  /** Oldest first. */
  readonly rollouts: readonly string[];
  readonly archived: boolean;
  readonly name?: string;
}

interface RolloutRow {
  readonly thread: ThreadId;
  readonly meta: JsonObject;
  readonly base?: RolloutPlace;
  /** The first line among them. */
  readonly lines: readonly Line[];
}

interface LeaseRow {
  readonly epoch: number;
  readonly until: number;
}

export interface TableStoreOptions {
  readonly table: Table;
  readonly clock: Clock;
  readonly leaseMs: number;
}

/** A store as a program that uses the library would write it. */
export function createTableStore(options: TableStoreOptions): ThreadStore {
  const { table } = options;
  const rollouts = createTableRollouts(options);
  const directory = createFoldedDirectory({
    rollouts,
    threads: () => table.transact((rows) => rows.keys('thread/').map((key) => knownThread(rows, key))),
    rename: (id, name) =>
      table.transact((rows) => {
        const thread = rows.get<ThreadRow>(`thread/${id}`);
        if (thread !== null) rows.put(`thread/${id}`, { ...thread, name });
        return undefined;
      }),
  });
  return { rollouts, directory, blobs: createTableBlobs(table), contents: createTableContents(table) };
}

function knownThread(rows: Rows, key: string): KnownThread {
  const id = key.slice('thread/'.length) as ThreadId;
  const { rollouts, archived, name = '' } = rows.get<ThreadRow>(key)!;
  const updatedAt = Date.parse(rows.get<RolloutRow>(`rollout/${rollouts.at(-1)}`)!.lines.at(-1)!.timestamp);
  return { id, location: `row ${key}`, updatedAt, archived, name };
}

function createTableRollouts({ table, clock, leaseMs }: TableStoreOptions): RolloutStore {
  const until = (): number => clock.now() + leaseMs;

  function take(rows: Rows, id: ThreadId): LeaseRow | OpenRefused {
    const held = rows.get<LeaseRow>(`lease/${id}`);
    if (held !== null && clock.now() < held.until) return refused('thread-locked', `Thread ${id} has a writer.`);
    // Given-back leases stay as rows, so that epochs grow.
    const lease = { epoch: (held?.epoch ?? 0) + 1, until: until() };
    rows.put(`lease/${id}`, lease);
    return lease;
  }

  /** The guard of every write: in the same transaction as the write itself. */
  function check(rows: Rows, id: ThreadId, epoch: number): void {
    if (rows.get<LeaseRow>(`lease/${id}`)?.epoch !== epoch) {
      throw new Fault({ code: 'lease-lost', message: `Another writer took over ${id}.`, next: 'Open it again.' });
    }
    rows.put(`lease/${id}`, { epoch, until: until() });
  }

  const giveBack = (id: ThreadId, epoch: number): Promise<void> =>
    table.transact((rows) => {
      if (rows.get<LeaseRow>(`lease/${id}`)?.epoch === epoch) rows.put(`lease/${id}`, { epoch, until: 0 });
    });

  const stamp = (ordinal: number, { type, payload, metadata }: LineDraft): Line => ({
    timestamp: new Date(clock.now()).toISOString(),
    ordinal: ordinal as Ordinal,
    type,
    payload,
    ...(metadata === undefined ? {} : { metadata }),
  });

  /** Lines wait here until a caller wants them safe. */
  function writer(id: ThreadId, rolloutId: string, row: RolloutRow, epoch: number): Owned {
    let queue: Line[] = [];
    let lost: unknown;
    let next = (row.lines.at(-1)?.ordinal ?? (row.base?.end ?? 0) - 1) + 1;
    let isNew = row.lines.length === 0;
    let saving: Promise<void> = Promise.resolve();
    const save = async (): Promise<void> => {
      if (lost !== undefined) throw lost;
      const batch = queue;
      queue = [];
      if (batch.length === 0) return;
      try {
        await table.transact((rows) => {
          check(rows, id, epoch);
          const stored = rows.get<RolloutRow>(`rollout/${rolloutId}`) ?? row;
          rows.put(`rollout/${rolloutId}`, { ...stored, lines: [...stored.lines, ...batch] });
          if (rows.get(`thread/${id}`) === null) rows.put(`thread/${id}`, { rollouts: [rolloutId], archived: false });
        });
      } catch (fault) {
        lost = fault;
        throw fault;
      }
    };
    // One after the other: who comes second may wait for lines that the first is saving.
    const durable = (): Promise<void> => {
      saving = saving.catch(() => {}).then(save);
      return saving;
    };
    return {
      kind: 'owned',
      epoch,
      location: `row thread/${id}`,
      mode: 'paginated',
      ...(isNew ? {} : { meta: row.meta }),
      append(drafts) {
        if (drafts.length === 0) return [];
        const all = isNew ? [{ type: 'session_meta', payload: row.meta }, ...drafts] : drafts;
        isNew = false;
        const lines = all.map((draft) => structuredClone(stamp(next++, draft)));
        queue.push(...lines);
        return lines;
      },
      durable,
      async close() {
        await durable().finally(() => giveBack(id, epoch));
      },
    };
  }

  async function lines(id: ThreadId): Promise<readonly Line[]> {
    return table.transact((rows) => {
      const current = currentOf(rows, id);
      if (current.kind === 'refused') throw new Fault(current);
      const [first] = rows.get<RolloutRow>(`rollout/${current.rolloutId}`)!.lines;
      return [first!, ...historyOf(rows, { rolloutId: current.rolloutId, end: Infinity as Ordinal })];
    });
  }

  function held(id: ThreadId, current: CurrentRollout, epoch: number): HeldThread {
    const change = <Result>(work: (rows: Rows, thread: ThreadRow) => Result): Promise<Result> =>
      table.transact((rows) => {
        check(rows, id, epoch);
        return work(rows, rows.get<ThreadRow>(`thread/${id}`)!);
      });
    return {
      kind: 'held',
      epoch,
      current,
      revert: ({ rolloutId, to, note, drafts }) =>
        change((rows, thread) => {
          const base = thread.rollouts.includes(to.rolloutId) ? baseAt(rows, to) : nowhere(to);
          if (base !== undefined && 'kind' in base) return base;
          const meta = { ...current.meta, capstan: note };
          const all = [{ type: 'session_meta', payload: meta }, ...drafts];
          const made = all.map((draft, at) => stamp((base?.end ?? 0) + at, draft));
          rows.put(`rollout/${rolloutId}`, { thread: id, meta, ...(base && { base }), lines: made });
          rows.put(`thread/${id}`, { ...thread, rollouts: [...thread.rollouts, rolloutId] });
          return { ...current, rolloutId, meta };
        }),
      archive: () => change((rows, thread) => rows.put(`thread/${id}`, { ...thread, archived: true })),
      unarchive: () =>
        change((rows, thread) => {
          rows.put(`thread/${id}`, { ...thread, archived: false });
          return thread.archived ? 'unarchived' : 'active';
        }),
      forks: () =>
        table.transact((rows) => {
          const own = rows.get<ThreadRow>(`thread/${id}`)?.rollouts ?? [];
          const others = rows.keys('rollout/').map((key) => rows.get<RolloutRow>(key)!);
          return others
            .filter(({ thread, base }) => thread !== id && base !== undefined && own.includes(base.rolloutId))
            .map(({ thread }) => thread);
        }),
      delete: () =>
        change((rows, { rollouts }) => {
          for (const rolloutId of rollouts) rows.remove(`rollout/${rolloutId}`);
          rows.remove(`thread/${id}`);
          return rollouts.map((rolloutId) => `row rollout/${rolloutId}`);
        }),
      release: () => giveBack(id, epoch),
    };
  }

  const begin = (id: ThreadId, described: JsonObject, base: RolloutPlace | undefined, lease: LeaseRow): Owned => {
    const meta = { id, ...described, history_mode: 'paginated' };
    return writer(id, id, { thread: id, meta, ...(base && { base }), lines: [] }, lease.epoch);
  };

  return {
    async create(id, described) {
      const lease = await table.transact((rows) => take(rows, id));
      return 'kind' in lease ? lease : begin(id, await described, undefined, lease);
    },
    fork: (id, described, from) =>
      table.transact((rows) => {
        const base = baseAt(rows, from);
        if (base !== undefined && 'kind' in base) return base;
        const lease = take(rows, id);
        return 'kind' in lease ? lease : begin(id, described, base, lease);
      }),
    open: (id) =>
      table.transact((rows) => {
        const current = currentOf(rows, id);
        if (current.kind === 'refused') return current;
        if (current.archived) return refused('thread-archived', `Thread ${id} is archived.`);
        const lease = take(rows, id);
        if ('kind' in lease) return lease;
        return writer(id, current.rolloutId, rows.get<RolloutRow>(`rollout/${current.rolloutId}`)!, lease.epoch);
      }),
    async *read(id, { from, to = Infinity as Ordinal, wanted }) {
      for (const [at, line] of (await lines(id)).entries()) {
        const ordinal = at === 0 ? 0 : line.ordinal!;
        if (ordinal >= from && ordinal < to && isWanted(line, wanted)) yield line;
      }
      return { skipped: 0 };
    },
    async *readBack(id, wanted) {
      for (const line of (await lines(id)).toReversed()) if (isWanted(line, wanted)) yield line;
      return { skipped: 0 };
    },
    current: (id) => table.transact((rows) => currentOf(rows, id)),
    hold: (id) =>
      table.transact((rows) => {
        const current = currentOf(rows, id);
        const lease = current.kind === 'refused' ? current : take(rows, id);
        if ('kind' in lease) return lease;
        return held(id, current as CurrentRollout, lease.epoch);
      }),
  };
}

function currentOf(rows: Rows, id: ThreadId): CurrentRollout | OpenRefused {
  const thread = rows.get<ThreadRow>(`thread/${id}`);
  const rolloutId = thread?.rollouts.at(-1);
  if (thread === null || rolloutId === undefined) return refused('thread-unknown', `There is no thread ${id}.`);
  const { meta } = rows.get<RolloutRow>(`rollout/${rolloutId}`)!;
  return {
    kind: 'current',
    rolloutId,
    location: `row thread/${id}`,
    mode: 'paginated',
    archived: thread.archived,
    meta,
  };
}

/** The lines before a place, without first lines. */
function historyOf(rows: Rows, { rolloutId, end }: RolloutPlace): readonly Line[] {
  const { base, lines } = rows.get<RolloutRow>(`rollout/${rolloutId}`) ?? { lines: [] };
  const taken = base === undefined ? [] : historyOf(rows, { ...base, end: Math.min(base.end, end) as Ordinal });
  return [...taken, ...lines.slice(1).filter(({ ordinal }) => ordinal! < end)];
}

/** The place that a rollout continues from if it begins at the given place; undefined when nothing precedes it. */
function baseAt(rows: Rows, place: RolloutPlace): RolloutPlace | OpenRefused | undefined {
  const row = rows.get<RolloutRow>(`rollout/${place.rolloutId}`);
  if (row === null || place.end > row.lines.at(-1)!.ordinal! + 1) return nowhere(place);
  const start = row.lines[0]!.ordinal!;
  if (place.end > start + 1) return place;
  return row.base && baseAt(rows, { ...row.base, end: Math.min(place.end, start) as Ordinal });
}

function nowhere({ rolloutId }: RolloutPlace): OpenRefused {
  return refused('place-unknown', `There is no such place in rollout ${rolloutId}.`);
}

function isWanted({ type, payload }: Line, wanted: Wanted = () => true): boolean {
  const payloadType = payload['type'];
  return wanted({ type, payloadType: typeof payloadType === 'string' ? payloadType : undefined });
}

function refused(code: OpenRefusedCode, message: string): OpenRefused {
  return { kind: 'refused', code, message, next: '' };
}

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const asBytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

function createTableBlobs(table: Table): Blobs {
  return {
    keep(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const durable = table.transact((rows) => rows.put(`blob/${sha256}`, asText(bytes)));
      return { ref: { sha256, bytes: bytes.length }, kept: true, durable };
    },
    async load(sha256) {
      const text = await table.transact((rows) => rows.get<string>(`blob/${sha256}`));
      if (text !== null) return { kind: 'blob', bytes: asBytes(text) };
      return { kind: 'missing', code: 'blob-missing', message: `There is no blob ${sha256}.`, next: '' };
    },
  };
}

function createTableContents(table: Table): SnapshotContents {
  return {
    async of(root) {
      const key = (hash: string): string => `content/${root}\0${hash}`;
      return {
        async load(hash) {
          const text = await table.transact((rows) => rows.get<string>(key(hash)));
          return text === null ? undefined : asBytes(text);
        },
        has: (hash) => table.transact((rows) => rows.get(key(hash)) !== null),
        bytes: () =>
          table.transact((rows) =>
            rows.keys(key('')).reduce((sum, one) => sum + asBytes(rows.get<string>(one)!).length, 0),
          ),
        begin() {
          const added = new Map<string, string>();
          return {
            add: (hash, content) => void added.set(hash, asText(content)),
            finish: () =>
              table.transact((rows) => {
                for (const [hash, text] of added) rows.put(key(hash), text);
              }),
            discard: async () => added.clear(),
          };
        },
        loadNote: () => table.transact((rows) => rows.get<string>(`note/${root}`) ?? undefined),
        hasNote: () => table.transact((rows) => rows.get(`note/${root}`) !== null),
        saveNote: (note) => table.transact((rows) => rows.put(`note/${root}`, note)),
      };
    },
  };
}
