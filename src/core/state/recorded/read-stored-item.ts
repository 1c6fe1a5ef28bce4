import { defined, ifAllDefined, valueOr } from '../../../base/objects.ts';
import { arrayAt, isJsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { proposedPlan } from '../../../protocol/item.ts';
import type { ChangedFile, FileChangeItem, PlanStep, TurnItem } from '../../../protocol/turn-item.ts';
import { stringListAt } from '../questions/question-lines.ts';

/**
 * Reads an item of `itemToJson` or another program, without data that our files keep elsewhere, such as diffs and
 * arguments. Undefined for other values, and for a user's message, which is context.
 */
export function itemFromJson(item: JsonObject): TurnItem | undefined {
  const id = stringAt(item, 'id');
  if (id === undefined) return undefined;
  switch (item['type']) {
    case 'AgentMessage': {
      const text = objectsAt(item, 'content')
        .map((part) => stringAt(part, 'text') ?? '')
        .join('');
      const more = defined({ phase: stringAt(item, 'phase'), plan: proposedPlan(text) });
      return { kind: 'agent-message', id, text, ...more };
    }
    case 'Reasoning':
      return { kind: 'reasoning', id, summary: stringListAt(item, 'summary_text') ?? [] };
    case 'WebSearch':
      return { kind: 'web-search', id, query: stringAt(item, 'query') ?? '' };
    case 'ImageGeneration':
      return {
        kind: 'image-generation',
        id,
        status: endOf(item),
        ...defined({
          prompt: stringAt(item, 'revised_prompt'),
          path: stringAt(item, 'saved_path') === undefined ? undefined : pathAt(item, 'saved_path'),
        }),
      };
    case 'ImageView':
      return { kind: 'image-view', id, path: pathAt(item, 'path') };
    case 'Plan': {
      const steps = arrayAt(item, 'steps')?.flatMap(readStep);
      return steps === undefined ? undefined : { kind: 'plan', id, steps };
    }
    case 'CommandExecution':
      return readCommand(id, item);
    case 'FileChange':
      return {
        kind: 'file-change',
        id,
        changes: changesIn(objectAt(item, 'changes') ?? {}),
        status: endOf(item),
        ...defined({ places: placesIn(objectAt(item, 'capstan')) }),
      };
    case 'McpToolCall':
    case 'DynamicToolCall':
      return {
        kind: 'tool-call',
        id,
        ...defined({ server: stringAt(item, 'server') ?? stringAt(objectAt(item, 'capstan'), 'server') }),
        tool: stringAt(item, 'tool') ?? '',
        arguments: objectAt(item, 'arguments') ?? {},
        status: endOf(item),
      };
    default:
      return undefined;
  }
}

const reasons = ['timed-out', 'interrupted', 'not-started'] as const;

function readCommand(id: string, item: JsonObject): TurnItem {
  const duration = objectAt(item, 'duration');
  const milliseconds = (numberAt(duration, 'secs') ?? 0) * 1000 + (numberAt(duration, 'nanos') ?? 0) / 1e6;
  return {
    kind: 'command',
    id,
    argv: stringListAt(item, 'command') ?? [],
    cwd: pathAt(item, 'cwd'),
    status: item['status'] === 'declined' ? 'declined' : endOf(item),
    output: stringAt(item, 'aggregated_output') ?? '',
    ...defined({
      byUser: item['source'] === 'user_shell' || undefined,
      exitCode: numberAt(item, 'exit_code'),
      unfinished: reasons.find((known) => known === objectAt(item, 'capstan')?.['unfinished']),
      durationMs: duration && milliseconds,
    }),
  };
}

const endOf = (item: JsonObject): 'completed' | 'failed' => (item['status'] === 'completed' ? 'completed' : 'failed');

function changesIn(changes: JsonObject): readonly ChangedFile[] {
  return Object.entries(changes).flatMap(([path, change]): ChangedFile[] => {
    if (!isJsonObject(change)) return [];
    const kind = (['add', 'delete', 'update'] as const).find((known) => known === change['type']);
    const known = { movePath: stringAt(change, 'move_path'), diff: diffIn(change) };
    return kind === undefined ? [] : [{ path, kind, ...defined(known) }];
  });
}

/** Other programs store the lines. Those of a deleted file are not shown. */
function diffIn(change: JsonObject): string | undefined {
  const diff = stringAt(change, 'unified_diff');
  if (diff !== undefined && diff !== '') return diff;
  const content = change['type'] === 'add' ? (stringAt(change, 'content') ?? '') : '';
  return content === '' ? undefined : `+${content.replace(/\n$/, '').replaceAll('\n', '\n+')}`;
}

/** Undefined if any place is invalid: then no line has a number. */
function placesIn(ours: JsonObject | undefined): FileChangeItem['places'] {
  const isPlace = (value: Json): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
  const places = arrayAt(ours, 'places');
  const isValid = places?.every((each) => each === null || (Array.isArray(each) && each.every(isPlace))) === true;
  return isValid ? (places as FileChangeItem['places']) : undefined;
}

function readStep(value: Json): PlanStep | readonly [] {
  if (!isJsonObject(value)) return [];
  const status = (['pending', 'in-progress', 'completed'] as const).find((each) => each === value['status']);
  return ifAllDefined({ text: stringAt(value, 'text'), status }) ?? [];
}

/** Folders are URLs in files, or paths in older ones. */
function pathAt(item: JsonObject, key: string): string {
  const text = stringAt(item, key) ?? '';
  if (!text.startsWith('file://')) return text;
  return valueOr(text, () => decodeURIComponent(text.slice('file://'.length)));
}
