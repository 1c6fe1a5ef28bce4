import type { Blobs } from '../../ports/blobs.ts';
import type { OpenRefused, Owned, ReadReport, RolloutStore } from '../../ports/rollout-store.ts';
import type { Json } from '../../protocol/json.ts';
import type { Line } from '../../protocol/line.ts';
import { type ToolSets, withoutToolSets, withToolSets } from './blobs-tool-sets.ts';
import { keepBeside } from './blobs-beside.ts';
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
  return {
    create: (id, meta) => owning(below.create(id, meta)),
    fork: (id, meta, from) => owning(below.fork(id, meta, from)),
    open: (id) => owning(below.open(id)),
    read: (id, options) => resolved(below.read(id, options), blobs, known),
    readBack: (id, wanted) => resolved(below.readBack(id, wanted), blobs, known),
    // A search sees the names of tool sets: it does not go by what stands in them.
    ...(below.readTail === undefined
      ? {}
      : { readTail: (...given) => resolvedBatches(below.readTail!(...given), blobs, known) }),
    current: (id) => below.current(id),
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
  async function durable(): Promise<void> {
    await Promise.all(unsafe);
    if (lost !== undefined) throw lost.fault;
    await owned.durable();
  }

  async function close(): Promise<void> {
    try {
      await durable();
    } finally {
      await owned.close();
    }
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
      return owned.append(stored).map((line) => withKnownSets(line, known));
    },
    durable,
    close: () => (closing ??= close()),
  };
}

/** What was just appended, as a reader gets it. Everything in it is known. */
function withKnownSets(line: Line, known: ToolSets): Line {
  const { line: whole } = withToolSets(line, known);
  return whole;
}

async function* resolved(
  lines: AsyncGenerator<Line, ReadReport>,
  blobs: Blobs,
  known: ToolSets,
): AsyncGenerator<Line, ReadReport> {
  const missing = new Set<string>();
  try {
    for (;;) {
      const next = await lines.next();
      if (next.done === true) return withMissing(next.value, missing);
      const found = withToolSets(next.value, known);
      yield found.unknown.length === 0 ? found.line : await loaded(next.value, { blobs, known, missing });
    }
  } finally {
    await lines.return({ skipped: 0 });
  }
}

async function* resolvedBatches(
  batches: AsyncGenerator<readonly Line[], ReadReport>,
  blobs: Blobs,
  known: ToolSets,
): AsyncGenerator<readonly Line[], ReadReport> {
  const missing = new Set<string>();
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done === true) return withMissing(next.value, missing);
      const lines: Line[] = [];
      for (const line of next.value) {
        const found = withToolSets(line, known);
        lines.push(found.unknown.length === 0 ? found.line : await loaded(line, { blobs, known, missing }));
      }
      yield lines;
    }
  } finally {
    await batches.return({ skipped: 0 });
  }
}

interface Loading {
  readonly blobs: Blobs;
  readonly known: ToolSets;
  readonly missing: Set<string>;
}

/** The line with its tool sets in it, which are fetched; those that are not there any more are left out. */
async function loaded(line: Line, { blobs, known, missing }: Loading): Promise<Line> {
  for (const sha256 of withToolSets(line, known).unknown) {
    const blob = await blobs.load(sha256);
    const set = blob.kind === 'blob' ? toolSetIn(blob.bytes) : undefined;
    if (set === undefined) missing.add(sha256);
    else known.set(sha256, set);
  }
  return withToolSets(line, known).line;
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

function withMissing(report: ReadReport, missing: ReadonlySet<string>): ReadReport {
  return missing.size === 0 ? report : { ...report, missingBlobs: [...missing] };
}
