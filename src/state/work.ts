import { noWork, type WorkRecords } from '../compaction/work-records.ts';
import { type Entry, isBoundary } from '../history/entry.ts';
import { isCall, type Item } from '../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { Line } from '../protocol/line.ts';
import type { ChangedFile, PlanStep } from '../protocol/turn-item.ts';

/** The records of the work after one more item. */
export function foldWork(work: WorkRecords, entry: Entry, { metadata }: Pick<Line, 'metadata'>): WorkRecords {
  if (isBoundary(entry)) return withoutDone(work);
  const { item } = entry;
  const plan = planIn(item);
  if (plan !== undefined) return { ...work, plan };
  const changed = metadata === undefined ? undefined : objectAt(metadata, 'capstan')?.['changed'];
  return changed === undefined ? work : { ...work, files: withFiles(work.files, readFiles(changed)) };
}

/** A plan that is done says nothing about what was asked for afterwards. */
function withoutDone(work: WorkRecords): WorkRecords {
  if (work.plan === undefined || work.plan.some(({ status }) => status !== 'completed')) return work;
  return { files: work.files };
}

const planTool = 'update_plan';

function planIn(item: Item): readonly PlanStep[] | undefined {
  if (!isCall(item) || item.name !== planTool || item.type !== 'function_call') return undefined;
  const parsed = parsedOrNothing(item.arguments);
  const steps = isJsonObject(parsed) ? arrayAt(parsed, 'plan') : undefined;
  return steps === undefined ? undefined : readSteps(steps, 'step');
}

/** The model wrote it: it may be anything. */
function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const statuses = { pending: 'pending', in_progress: 'in-progress', completed: 'completed' } as const;

function readSteps(steps: readonly Json[], key: 'step' | 'text'): readonly PlanStep[] {
  return steps.flatMap((value) => {
    if (!isJsonObject(value)) return [];
    const text = stringAt(value, key);
    const status = String(value['status']).replaceAll('-', '_');
    return text === undefined || !(status in statuses)
      ? []
      : [{ text, status: statuses[status as keyof typeof statuses] }];
  });
}

/** Each file once, where it was first changed, as it was changed last. */
function withFiles(before: readonly ChangedFile[], changed: readonly ChangedFile[]): readonly ChangedFile[] {
  const files = new Map(before.map((file) => [file.path, file]));
  for (const file of changed) {
    const known = files.get(file.path);
    // A file that was made here and changed later is still one that was made here.
    files.set(file.path, known?.kind === 'add' && file.kind === 'update' ? { ...file, kind: 'add' } : file);
  }
  return [...files.values()];
}

function readFiles(stored: Json): readonly ChangedFile[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((value: Json): ChangedFile[] => {
    if (!isJsonObject(value)) return [];
    const [path, kind, movePath] = [stringAt(value, 'path'), value['kind'], stringAt(value, 'movePath')];
    if (path === undefined || (kind !== 'add' && kind !== 'delete' && kind !== 'update')) return [];
    return [{ path, kind, ...(movePath === undefined ? {} : { movePath }) }];
  });
}

export function storeWork({ plan, files }: WorkRecords): JsonObject {
  return {
    ...(plan === undefined ? {} : { plan: [...plan] as unknown as Json }),
    files: [...files] as unknown as Json,
  };
}

export function readWork(stored: JsonObject | undefined): WorkRecords {
  if (stored === undefined) return noWork;
  const plan = arrayAt(stored, 'plan');
  return {
    ...(plan === undefined ? {} : { plan: readSteps(plan, 'text') }),
    files: readFiles(stored['files'] ?? []),
  };
}
