import { noWork, markPlanOutdated, planOutdatedByKinds } from '../../compaction/plan/work-records.ts';
import type { PlanOutdatedBy, ProposedPlan, WorkPlan, WorkRecords } from '../../compaction/plan/work-records.ts';
import { planUpdatedText } from '../../fragments/answers/tool-calls.ts';
import { type HistoryEntry, isTurnBoundary } from '../../history/entry.ts';
import { isUserShellCommand } from '../../history/limit-output.ts';
import { defined } from '../../../base/objects.ts';
import { isCall, isMessage, type Item } from '../../../protocol/item.ts';
import {
  arrayAt,
  isJsonObject,
  numberAt,
  objectAt,
  parseJsonObject,
  stringAt,
  trueAt,
} from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import type { ChangedFile, PlanStep } from '../../../protocol/turn-item.ts';
import { foldPatchedFiles, restoredFilesFromJson } from './files-put-back.ts';

export function foldWork(work: WorkRecords, entry: HistoryEntry, { metadata }: Pick<Line, 'metadata'>): WorkRecords {
  if (isTurnBoundary(entry)) return entry.origin.family === 'context' ? work : afterBoundary(work, entry);
  const newer = newerThanPlan(entry);
  if (newer !== undefined) return markPlanOutdated(work, newer);
  const proposed = planIn(entry.item);
  if (proposed !== undefined) return { ...work, proposed: [...(work.proposed ?? []), proposed].slice(-mostProposed) };
  const known = objectAt(metadata, 'capstan');
  const answered = work.proposed?.find(({ callId }) => callId === entry.item['call_id']);
  if (answered !== undefined) return afterAnswer(work, answered, hasRun(entry.item, known));
  const changed = known?.['changed'];
  return changed === undefined ? work : foldChangedFiles(work, changedFilesFromJson(changed));
}

export function foldChangedFiles(work: WorkRecords, files: readonly ChangedFile[]): WorkRecords {
  return { ...foldPatchedFiles(work, files), files: withFiles(work.files, files) };
}

/** A stopped turn, a program's message, or a command of the user may have made the plan obsolete. */
function newerThanPlan({ item, origin }: HistoryEntry): PlanOutdatedBy | undefined {
  if (origin.family === 'context' && origin.kinds.includes('turn-aborted')) return 'stop';
  if (origin.family !== 'client' || item['role'] === 'assistant') return undefined;
  return isMessage(item) && isUserShellCommand(item) ? 'shell' : 'program';
}

/** A completed plan says nothing about later requests; any other may be out of date from here on. */
function afterBoundary(work: WorkRecords, { origin, number }: HistoryEntry): WorkRecords {
  const { plan, files, putBack, number: before } = work;
  const isOpen = plan?.steps.some(({ status }) => status !== 'completed') === true;
  const older = markPlanOutdated({ plan: isOpen ? plan : undefined, files, putBack }, 'user');
  return { ...older, number: origin.family === 'user' ? number : before };
}

const mostProposed = 20;

/** Written by the model, so it may be anything. */
function planIn(item: Item): ProposedPlan | undefined {
  if (!isCall(item) || item.name !== 'update_plan' || item.type !== 'function_call') return undefined;
  const steps = arrayAt(parseJsonObject(item.arguments), 'plan');
  return steps === undefined ? undefined : { callId: item.call_id, steps: readSteps(steps, 'step') };
}

/** Other programs do not record refusals, but they give one fixed answer to each plan call that ran. */
const hasRun = (answer: Item, known: JsonObject | undefined): boolean =>
  known === undefined ? answer['output'] === planUpdatedText : known['refused'] === undefined;

/** A plan counts once its call has run: a refused one changes nothing. */
function afterAnswer({ proposed = [], ...work }: WorkRecords, { callId, steps }: ProposedPlan, hasRun: boolean) {
  const waiting = proposed.filter((each) => each.callId !== callId);
  const left = waiting.length === 0 ? work : { ...work, proposed: waiting };
  return hasRun ? { ...left, plan: { steps, number: work.number, isOlder: false } } : left;
}

const statuses = { pending: 'pending', in_progress: 'in-progress', completed: 'completed' } as const;

function readSteps(steps: readonly Json[], key: 'step' | 'text'): readonly PlanStep[] {
  return steps.filter(isJsonObject).flatMap((value) => {
    const text = stringAt(value, key);
    const status = String(value['status']).replaceAll('-', '_');
    if (text === undefined || !(status in statuses)) return [];
    return [{ text, status: statuses[status as keyof typeof statuses] }];
  });
}

function withFiles(before: readonly ChangedFile[], changed: readonly ChangedFile[]): readonly ChangedFile[] {
  const files = new Map(before.map((file) => [file.path, file]));
  for (const file of changed) {
    const known = files.get(file.path);
    // A file added here and updated later still counts as added.
    files.set(file.path, known?.kind === 'add' && file.kind === 'update' ? { ...file, kind: 'add' } : file);
  }
  return [...files.values()];
}

export function changedFilesFromJson(stored: Json): readonly ChangedFile[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isJsonObject).flatMap((value): ChangedFile[] => {
    const [path, kind, movePath] = [stringAt(value, 'path'), value['kind'], stringAt(value, 'movePath')];
    if (path === undefined || (kind !== 'add' && kind !== 'delete' && kind !== 'update')) return [];
    return [{ path, kind, ...defined({ movePath, generated: trueAt(value, 'generated') }) }];
  });
}

export function workToJson({ plan, files, putBack, number }: WorkRecords): JsonObject {
  return {
    plan: plan?.steps as unknown as Json,
    plan_is_older: plan?.isOlder,
    plan_number: plan?.number,
    plan_older_than: plan?.olderThan,
    files: files as unknown as Json,
    put_back: putBack as unknown as Json,
    number,
  };
}

export function workFromJson(stored: JsonObject | undefined): WorkRecords {
  if (stored === undefined) return noWork;
  const [files, putBack] = [changedFilesFromJson(stored['files'] ?? []), restoredFilesFromJson(stored)];
  return { plan: readPlan(stored), files, putBack, number: numberAt(stored, 'number') };
}

/** Earlier versions did not record whether the user wrote after the plan: it may be out of date. */
function readPlan(stored: JsonObject): WorkPlan | undefined {
  const steps = arrayAt(stored, 'plan');
  if (steps === undefined) return undefined;
  const [isOlder, number] = [stored['plan_is_older'] !== false, numberAt(stored, 'plan_number')];
  const olderThan = planOutdatedByKinds.find((known) => known === stored['plan_older_than']);
  return { steps: readSteps(steps, 'text'), number, isOlder, olderThan };
}
