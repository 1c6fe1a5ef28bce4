import type { Blobs } from '../../ports/blobs.ts';
import type { OpenRefused, Owned, ReadReport, RolloutStore } from '../../ports/rollout-store.ts';
import { type Json, objectAt } from '../../protocol/json.ts';
import type { Line, LineDraft } from '../../protocol/line.ts';
import { type Stored, type ToolSets, withoutToolSets, withToolSets } from './blobs-tool-sets.ts';
import { ownedFacts } from '../lines/owned-facts.ts';

/**
 * A store whose lines leave to blobs what is large and not for the model's eyes: what drafts have `beside` them, and
 * tool sets. A reader gets the lines back with their tool sets in them.
 */
export function withBlobs(below: RolloutStore, blobs: Blobs): RolloutStore {
  /** Sets that have been seen, by hash: the same few are read over and over. */
  const known: ToolSets = new Map();
  const owning = async (opened: Promise<Owned | OpenRefused>): Promise<Owned | OpenRefused> => {
    const owned = await opened;
    return owned.kind === 'refused' ? owned : ownedWithBlobs(owned, blobs, known);
  };
  const whole = (line: Line, missing: Set<string>): Line | Promise<Line> => {
    const found = withToolSets(line, known);
    return found.unknown.length === 0 ? found.line : loaded(line, found.unknown, missing);
  };
  /** The line with its tool sets in it, which are fetched; those that are not there any more are left out. */
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
    create: (id, meta) => owning(below.create(id, meta)),
    fork: (id, meta, from) => owning(below.fork(id, meta, from)),
    open: (id) => owning(below.open(id)),
    read: (id, options) => resolved(below.read(id, options), whole),
    readBack: (id, wanted) => resolved(below.readBack(id, wanted), whole),
    // A search sees the names of tool sets: it does not go by what stands in them.
    ...(below.readTail && { readTail: (...given) => resolved(below.readTail!(...given), allWhole) }),
    current: (id) => below.current(id),
    ...(below.aside && { aside: below.aside.bind(below) }),
    hold: (id) => below.hold(id),
  };
}

function ownedWithBlobs(owned: Owned, blobs: Blobs, known: ToolSets): Owned {
  const unsafe = new Set<Promise<void>>();
  let lost: { readonly fault: unknown } | undefined;

  function waitFor(durable: Promise<void>): void {
    unsafe.add(durable);
    durable.then(
      () => unsafe.delete(durable),
      (fault: unknown) => (lost ??= { fault }),
    );
  }

  /** No line counts as safe before what it refers to is. */
  async function besideSafe(): Promise<void> {
    await Promise.all(unsafe);
    if (lost !== undefined) throw lost.fault;
  }

  let closing: Promise<void> | undefined;
  return {
    ...ownedFacts(owned),
    append(drafts) {
      const stored = drafts.map((draft) => {
        const beside = keepBeside(draft, blobs);
        const sets = withoutToolSets(beside.draft, blobs, known);
        for (const promise of [...beside.durable, ...sets.durable]) waitFor(promise);
        return sets.draft;
      });
      // As a reader gets them. Everything in them is known.
      return owned.append(stored).map((line) => withToolSets(line, known).line);
    },
    durable: () => besideSafe().then(() => owned.durable()),
    close: () => (closing ??= besideSafe().finally(() => owned.close())),
  };
}

/** The draft with names in place of what stood beside it. */
function keepBeside(draft: LineDraft, blobs: Blobs): Stored {
  const { beside, ...line } = draft;
  if (beside === undefined) return { draft, durable: [] };
  const kept = Object.entries(beside).map(([key, bytes]) => [key, blobs.keep(bytes, 'within-budget')] as const);
  // Where only the name is left, it says so.
  const names = kept.map(([key, blob]) => [key, { ...blob.ref, ...(blob.kept ? {} : { kept: false }) }]);
  const capstan = { ...objectAt(line.metadata ?? {}, 'capstan'), ...Object.fromEntries(names) };
  const durable = kept.map(([, blob]) => blob.durable);
  return { draft: { ...line, metadata: { ...line.metadata, capstan } }, durable };
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

/** A line may name any blob: one with the output of a command is no tool set. */
function toolSetIn(bytes: Uint8Array): Json | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Json;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
