import { defined } from '../../../base/objects.ts';
import {
  sealedClaimIn,
  sealedForkIn,
  hasSealField,
  sealedSource,
  sealSubject,
  sealText,
  withSeal,
} from '../../../core/state/line-seals.ts';
import type { Clock } from '../../../ports/system.ts';
import type {
  Blobs,
  OpenRefused,
  Owned,
  ReadReport,
  RolloutStore,
  Seals,
  ThreadStore,
} from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../../../protocol/line.ts';

/** The rollouts of a store as threads use them: with seals, and large data in blobs. */
export const threadRollouts = ({ rollouts, blobs }: ThreadStore, seals: Seals): RolloutStore =>
  withSeals(withBlobs(rollouts, blobs), seals);
type Opening = Promise<Owned | OpenRefused>;

const everyMethod: Record<keyof RolloutStore, true> = {
  create: true,
  fork: true,
  open: true,
  read: true,
  readBack: true,
  readTail: true,
  current: true,
  aside: true,
  hold: true,
};
const methods = Object.keys(everyMethod) as readonly (keyof RolloutStore)[];

/** The store below, as an object whose methods a wrapper can replace one by one. Absent methods stay absent. */
function methodsOf(below: RolloutStore): RolloutStore {
  const there = methods.filter((name) => below[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, below[name]!.bind(below)])) as unknown as RolloutStore;
}

/** Seals the lines that the engine acts on later. Code that acts on a line asks `Seals` first; reading does not. */
export function withSeals(below: RolloutStore, seals: Seals): RolloutStore {
  async function sealing(id: ThreadId, meta: JsonObject | undefined, opened: Opening): Opening {
    const owned = await opened;
    if (owned.kind === 'refused') return owned;
    const subject = sealSubject(id, meta ?? owned.meta ?? {});
    return {
      ...leaseFacts(owned),
      append: (drafts) => owned.append(drafts.map((draft) => sealed(draft, subject, seals))),
      durable: () => owned.durable(),
      close: () => owned.close(),
    };
  }
  return {
    ...methodsOf(below),
    create: (id, meta) => sealing(id, {}, below.create(id, meta)),
    fork(id, meta, from) {
      const said = sealedForkIn(meta);
      const seal = said === undefined ? undefined : seals.seal(sealText(sealSubject(id, meta), said.claim));
      const described = seal === undefined ? meta : sealedSource(meta, seal);
      return sealing(id, described, below.fork(id, described, from));
    },
    open: (id) => sealing(id, undefined, below.open(id)),
    async hold(id) {
      const held = await below.hold(id);
      if (held.kind === 'refused') return held;
      const subject = sealSubject(id, held.current.meta);
      return {
        kind: 'held',
        epoch: held.epoch,
        current: held.current,
        revert: ({ drafts, ...revert }) =>
          held.revert({ ...revert, drafts: drafts.map((draft) => sealed(draft, subject, seals)) }),
        archive: () => held.archive(),
        unarchive: () => held.unarchive(),
        forks: () => held.forks(),
        delete: () => held.delete(),
        release: () => held.release(),
      };
    },
  };
}

/** A draft that already has a seal repeats a line: see `saidAgain`. */
function sealed(draft: LineDraft, subject: string, seals: Seals): LineDraft {
  const said = sealedClaimIn(draft);
  const seal = said === undefined || hasSealField(draft) ? undefined : seals.seal(sealText(subject, said.claim));
  return seal === undefined ? draft : withSeal(draft, seal);
}

/** Moves the data `beside` a draft, and tool sets, to blobs. Readers get the lines with their tool sets. */
export function withBlobs(below: RolloutStore, blobs: Blobs): RolloutStore {
  const known: ToolSets = new Map();
  const owning = async (opened: Opening): Opening => {
    const owned = await opened;
    return owned.kind === 'refused' ? owned : ownedWithBlobs(owned, blobs, known);
  };
  const whole = (line: Line, missing: Set<string>): Line | Promise<Line> => {
    const found = withToolSets(line, known);
    return found.unknown.length === 0 ? found.line : loaded(line, found.unknown, missing);
  };
  const loaded = async (line: Line, names: readonly string[], missing: Set<string>): Promise<Line> => {
    for (const sha256 of names) {
      const blob = await blobs.load(sha256);
      const set = blob.kind === 'blob' ? toolSetIn(blob.bytes) : undefined;
      if (set === undefined) missing.add(sha256);
      else known.set(sha256, set);
    }
    return withToolSets(line, known).line;
  };
  const allWhole = async (lines: readonly Line[], missing: Set<string>): Promise<readonly Line[]> => {
    const found: Line[] = [];
    for (const line of lines) {
      const one = whole(line, missing);
      found.push(one instanceof Promise ? await one : one);
    }
    return found;
  };
  return {
    ...methodsOf(below),
    create: (id, meta) => owning(below.create(id, meta)),
    fork: (id, meta, from) => owning(below.fork(id, meta, from)),
    open: (id) => owning(below.open(id)),
    read: (id, options) => resolved(below.read(id, options), whole),
    readBack: (id, wanted) => resolved(below.readBack(id, wanted), whole),
    // A search compares the names of tool sets, not their content, so it may run on the lines below.
    ...(below.readTail && { readTail: (...given) => resolved(below.readTail!(...given), allWhole) }),
  };
}

function ownedWithBlobs(owned: Owned, blobs: Blobs, known: ToolSets): Owned {
  const unsafe = new Set<Promise<void>>();
  let lost: { readonly fault: unknown } | undefined;

  const keep: Blobs['keep'] = (bytes, when) => {
    const blob = blobs.keep(bytes, when);
    const { durable } = blob;
    unsafe.add(durable);
    durable.then(
      () => unsafe.delete(durable),
      (fault: unknown) => (lost ??= { fault }),
    );
    return blob;
  };

  /** A line is safe only after the blobs that it refers to. */
  async function besideSafe(): Promise<void> {
    await Promise.all(unsafe);
    if (lost !== undefined) throw lost.fault;
  }

  let closing: Promise<void> | undefined;
  return {
    ...leaseFacts(owned),
    append(drafts) {
      const stored = drafts.map((draft) => withoutToolSets(keepBeside(draft, keep), keep, known));
      // Returned in the form that a reader gets; all their tool sets are known.
      return owned.append(stored).map((line) => withToolSets(line, known).line);
    },
    durable: () => besideSafe().then(() => owned.durable()),
    close: () => (closing ??= besideSafe().finally(() => owned.close())),
  };
}

function keepBeside(draft: LineDraft, keep: Blobs['keep']): LineDraft {
  const { beside, ...line } = draft;
  if (beside === undefined) return draft;
  const names = Object.entries(beside).map(([key, bytes]) => {
    const { ref, kept } = keep(bytes, 'within-budget');
    // Says that the blob was not kept: the line has only its name.
    return [key, { ...ref, ...(kept ? {} : { kept }) }];
  });
  const capstan = { ...objectAt(line.metadata, 'capstan'), ...Object.fromEntries(names) };
  return { ...line, metadata: { ...line.metadata, capstan } };
}

async function* resolved<Read>(
  reading: AsyncGenerator<Read, ReadReport>,
  whole: (read: Read, missing: Set<string>) => Read | Promise<Read>,
): AsyncGenerator<Read, ReadReport> {
  const missing = new Set<string>();
  try {
    for (;;) {
      const next = await reading.next();
      if (next.done !== true) yield whole(next.value, missing);
      else return missing.size === 0 ? next.value : { ...next.value, missingBlobs: [...missing] };
    }
  } finally {
    await reading.return({ skipped: 0 });
  }
}

/** A line may name a blob that is no tool set, such as the output of a command. */
function toolSetIn(bytes: Uint8Array): Json | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Json;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type ToolSets = Map<string, Json>;
/** A file takes at least one disk block: a smaller set stays in its line. */
const inlineBytes = 4096;

function withoutToolSets(draft: LineDraft, keep: Blobs['keep'], known: ToolSets): LineDraft {
  const payload = changeSets(draft, (set) => {
    const text = Array.isArray(set) ? new TextEncoder().encode(JSON.stringify(set)) : undefined;
    if (text === undefined || text.length <= inlineBytes) return set;
    const { ref } = keep(text, 'always');
    known.set(ref.sha256, set);
    return { blob: { ...ref } };
  });
  return payload === draft.payload ? draft : { ...draft, payload };
}

/** The line with its known tool sets, and the names of the unknown ones, which are left out. */
function withToolSets(line: Line, known: ToolSets): { readonly line: Line; readonly unknown: string[] } {
  const unknown: string[] = [];
  const payload = changeSets(line, (set) => {
    const blob = isJsonObject(set) ? objectAt(set, 'blob') : undefined;
    const sha256 = stringAt(blob, 'sha256');
    if (sha256 === undefined) return set;
    const found = known.get(sha256);
    if (found === undefined) unknown.push(sha256);
    return found;
  });
  return { line: payload === line.payload ? line : { ...line, payload }, unknown };
}

function changeSets({ type, payload }: LineDraft, change: (set: Json) => Json | undefined): JsonObject {
  if (type === lineType.toolSet) {
    const { tools } = payload;
    const changed = tools === undefined ? undefined : change(tools);
    return changed === tools ? payload : { ...payload, tools: changed };
  }
  const carried = type === lineType.compacted ? objectAt(payload, 'capstan') : undefined;
  const sets = objectAt(carried, 'tool_sets');
  if (sets === undefined) return payload;
  const changed = Object.entries(sets).map(([name, set]) => [name, set && change(set)] as const);
  if (changed.every(([name, set]) => set === sets[name])) return payload;
  // A set without tools differs from no set.
  const kept = Object.fromEntries(changed.filter(([, set]) => set !== undefined));
  return { ...payload, capstan: { ...carried, tool_sets: kept } };
}

export const leaseFacts = ({ kind, epoch, location, mode, torn, meta, newest }: Owned) => ({
  kind,
  epoch,
  location,
  mode,
  ...defined({ torn, meta, newest }),
});

/** Threads that leave nothing on disk. A resumed one is read below without its lock; new lines are discarded. */
export function createEphemeralStore(below: RolloutStore, clock: Clock): RolloutStore {
  return {
    ...methodsOf(below),
    create: async (_id, meta) => forgetful(clock, 0, await meta),
    async open(id) {
      let read = false;
      for await (const line of below.readBack(id)) {
        if (line.ordinal !== undefined) return forgetful(clock, line.ordinal + 1, undefined);
        read = true;
      }
      // Lines of the old form have no ordinals. If the thread has no lines at all, the store below refuses it.
      return read ? forgetful(clock, 0, undefined) : below.open(id);
    },
    fork: async (_id, meta, from) => forgetful(clock, from.end, meta),
  };
}

function forgetful(clock: Clock, firstOrdinal: number, meta: JsonObject | undefined): Owned {
  let ordinal = firstOrdinal;
  let first: readonly LineDraft[] = meta === undefined ? [] : [{ type: lineType.sessionMeta, payload: meta }];
  return {
    kind: 'owned',
    // No lease was taken below, as no other process can write this thread.
    epoch: 0,
    location: '',
    mode: 'paginated',
    append(drafts) {
      const timestamp = new Date(clock.now()).toISOString();
      const lines = [...first, ...drafts].map(({ beside: _forgotten, ...draft }): Line => ({
        timestamp,
        ordinal: ordinal++ as Ordinal,
        ...draft,
      }));
      first = [];
      return lines;
    },
    durable: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
