import { defined } from '../../../base/objects.ts';
import type { ThreadId, TurnId } from '../../../protocol/ids.ts';
import type { Item } from '../../../protocol/item.ts';
import { arrayAt, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { ProviderName } from '../../../protocol/provider-name.ts';
import type { ChangedFile, TurnItem } from '../../../protocol/turn-item.ts';
import { type Author, nonUserAuthor } from '../../../protocol/user-input.ts';
import { entryMetadata, type EntryOrigin } from '../../history/entry.ts';

export function itemLine(item: Item, origin: EntryOrigin, turn: TurnId, maker?: ProviderName): LineDraft {
  return { type: lineType.responseItem, payload: item, metadata: entryMetadata({ origin, turn, maker }) };
}

/** Words with the turn that they are for. The author is written unless it is the user. */
export function userLine(
  item: Item,
  { author, turn, number }: { readonly author: Author; readonly turn: TurnId; readonly number: number },
): LineDraft {
  const metadata = entryMetadata({ origin: { family: 'user', author: nonUserAuthor(author) }, turn, number });
  return { type: lineType.responseItem, payload: item, metadata };
}

export interface RefusedCallRecord {
  readonly tool: string;
  readonly mcp?: { readonly server: string; readonly tool: string };
  /** The call was a patch, whatever its tool. */
  readonly patch?: true;
  /** The call was refused because no user could be asked; a user might have allowed it. */
  readonly unasked?: true;
}

export function answerLine(
  item: Item,
  turn: TurnId,
  { changed = [], refused }: { readonly changed?: readonly ChangedFile[]; readonly refused?: RefusedCallRecord },
): LineDraft {
  // The call holds the changed lines (I9).
  const named = changed.map(({ diff: _diff, ...file }) => file);
  const files = named.length === 0 ? undefined : (named as unknown as JsonObject[]);
  const known = defined({ changed: files, refused: refused && { ...refused } });
  return withFacts(itemLine(item, { family: 'tool' }, turn), known);
}

export function imageLine(item: Item, turn: TurnId, path: string | undefined): LineDraft {
  const changed = path === undefined ? {} : { changed: [{ path, kind: 'add', generated: true }] };
  return withFacts(itemLine(item, { family: 'model' }, turn), changed);
}

function withFacts(line: LineDraft, facts: JsonObject): LineDraft {
  if (Object.keys(facts).length === 0) return line;
  return { ...line, metadata: { ...line.metadata, capstan: { ...objectAt(line.metadata, 'capstan'), ...facts } } };
}

export interface ItemRecord {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly item: TurnItem;
}

/** Record for lists and screens. Omits output bytes: they are in the item that the model saw (I9). */
export function itemCompletedLine({ threadId, turnId, at, item }: ItemRecord): LineDraft {
  const startedAt = item.kind === 'command' ? at - (item.durationMs ?? 0) : at;
  return storedItemLine({ threadId, turnId, startedAt, completedAt: at, item: itemToJson(item) });
}

export interface StoredItemRecord extends Omit<ItemRecord, 'at' | 'item'> {
  readonly startedAt: number;
  readonly completedAt: number;
  readonly item: JsonObject;
}

export function storedItemLine({ threadId, turnId, startedAt, completedAt, item }: StoredItemRecord): LineDraft {
  const times = { started_at_ms: startedAt, completed_at_ms: completedAt };
  const payload = { type: 'item_completed', thread_id: threadId, turn_id: turnId, item, ...times };
  return { type: lineType.event, payload };
}

/** In the form of the file. Running items count as failed: their end may never be seen. */
export function itemToJson(item: TurnItem): JsonObject {
  const { id } = item;
  switch (item.kind) {
    case 'user-message':
      return { type: 'UserMessage', id, content: userContent(item.text, item.images) };
    case 'agent-message':
      return { type: 'AgentMessage', id, content: [{ type: 'Text', text: item.text }], phase: item.phase };
    case 'reasoning':
      return { type: 'Reasoning', id, summary_text: item.summary, raw_content: [] };
    case 'web-search':
      return { type: 'WebSearch', id, query: item.query };
    case 'image-generation':
      return {
        type: 'ImageGeneration',
        id,
        status: item.status,
        result: '',
        revised_prompt: item.prompt,
        saved_path: item.path && fileUrl(item.path),
      };
    case 'image-view':
      return { type: 'ImageView', id, path: fileUrl(item.path) };
    case 'plan': {
      const text = item.steps.map((step) => step.text).join('\n');
      return { type: 'Plan', id, text, steps: item.steps as unknown as Json };
    }
    case 'command':
      return {
        type: 'CommandExecution',
        id,
        command: item.argv,
        cwd: fileUrl(item.cwd),
        parsed_cmd: [{ type: 'unknown', cmd: item.argv.at(-1) ?? '' }],
        source: 'agent',
        status: item.status === 'in-progress' ? 'failed' : item.status,
        exit_code: item.exitCode,
        capstan: item.unfinished && { unfinished: item.unfinished },
        duration: item.durationMs === undefined ? undefined : duration(item.durationMs),
      };
    case 'file-change':
      return {
        type: 'FileChange',
        id,
        changes: Object.fromEntries(item.changes.map((change) => [change.path, storedChange(change)])),
        status: item.status === 'in-progress' ? 'failed' : item.status,
        capstan: item.places && { places: item.places },
      };
    case 'tool-call':
      return {
        type: 'DynamicToolCall',
        id,
        tool: item.tool,
        arguments: item.arguments,
        status: item.status === 'completed' ? 'completed' : 'failed',
        success: item.status === 'in-progress' ? undefined : item.status === 'completed',
        capstan: item.server === undefined ? undefined : { server: item.server },
      };
  }
}

/** Pictures by path only: their bytes are in the item that the model saw. */
function userContent(text: string, images: readonly string[]): readonly JsonObject[] {
  const said = text === '' ? [] : [{ type: 'text', text, text_elements: [] }];
  return [...images.map((path) => ({ type: 'local_image', path })), ...said];
}

/** Other readers drop a record without texts, but not one with empty texts. The call holds the patch (I9). */
function storedChange({ kind, movePath }: ChangedFile): JsonObject {
  if (kind !== 'update') return { type: kind, content: '' };
  return { type: kind, unified_diff: '', move_path: movePath ?? null };
}

const fileUrl = (path: string): string => `file://${path.split('/').map(encodeURIComponent).join('/')}`;

function duration(milliseconds: number): JsonObject {
  return { secs: Math.floor(milliseconds / 1000), nanos: Math.round((milliseconds % 1000) * 1e6) };
}

/** Nothing large is stored twice (I9): of a longer fact, only the text is stored. */
const longestValue = 2000;
/** One typed fact per text of a context item, beside its kinds, and the reason for sending it again. */
export type ContextFacts = { readonly values: readonly (Json | undefined)[]; readonly why?: string };

export function withContextFacts(metadata: JsonObject, { values, why }: ContextFacts): JsonObject {
  const kept = values.map((value = null) => (JSON.stringify(value).length <= longestValue ? value : null));
  const told = defined({ why, values: kept.every((value) => value === null) ? undefined : kept });
  if (Object.keys(told).length === 0) return metadata;
  return { ...metadata, capstan: { ...objectAt(metadata, 'capstan'), told } };
}

export function readContextFacts(metadata: JsonObject | undefined): ContextFacts {
  const told = objectAt(objectAt(metadata, 'capstan'), 'told');
  return { values: (arrayAt(told, 'values') ?? []).map((value) => value ?? undefined), why: stringAt(told, 'why') };
}
