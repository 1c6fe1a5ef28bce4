import type { Blobs } from '../../ports/blobs.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../../protocol/line.ts';

/** Tool sets by the hash of their JSON text. */
export type ToolSets = Map<string, Json>;

/** A file takes at least one block of the disk: a set that is smaller than that stays in its line. */
const inlineBytes = 4096;

/** A draft with names in place of what is large, and what must be safe before the line is. */
export interface Stored {
  readonly draft: LineDraft;
  readonly durable: readonly Promise<void>[];
}

export function withoutToolSets(draft: LineDraft, blobs: Blobs, known: ToolSets): Stored {
  const durable: Promise<void>[] = [];
  const payload = changeSets(draft, (set) => {
    const text = Array.isArray(set) ? new TextEncoder().encode(JSON.stringify(set)) : undefined;
    if (text === undefined || text.length <= inlineBytes) return set;
    const blob = blobs.keep(text, 'always');
    known.set(blob.ref.sha256, set);
    durable.push(blob.durable);
    return { blob: { ...blob.ref } };
  });
  return { draft: payload === draft.payload ? draft : { ...draft, payload }, durable };
}

/** The line with its tool sets in it, as far as they are known, and the names of the others. Those are left out. */
export function withToolSets(line: Line, known: ToolSets): { readonly line: Line; readonly unknown: string[] } {
  const unknown: string[] = [];
  const payload = changeSets(line, (set) => {
    const blob = isJsonObject(set) ? objectAt(set, 'blob') : undefined;
    const sha256 = blob && stringAt(blob, 'sha256');
    if (sha256 === undefined) return set;
    const found = known.get(sha256);
    if (found === undefined) unknown.push(sha256);
    return found;
  });
  return { line: payload === line.payload ? line : { ...line, payload }, unknown };
}

/** Applies the change to every tool set of a line: the one that it is about, and those that a checkpoint carries. */
function changeSets({ type, payload }: LineDraft, change: (set: Json) => Json | undefined): JsonObject {
  if (type === lineType.toolSet) {
    const { tools } = payload;
    const changed = tools === undefined ? undefined : change(tools);
    return changed === tools ? payload : { ...payload, tools: changed };
  }
  const carried = type === lineType.compacted ? objectAt(payload, 'capstan') : undefined;
  const sets = carried && objectAt(carried, 'tool_sets');
  if (sets === undefined) return payload;
  const changed = Object.entries(sets).map(([name, set]) => [name, set && change(set)] as const);
  if (changed.every(([name, set]) => set === sets[name])) return payload;
  // A set without tools is not the same as none.
  const kept = Object.fromEntries(changed.filter(([, set]) => set !== undefined));
  return { ...payload, capstan: { ...carried, tool_sets: kept } };
}
