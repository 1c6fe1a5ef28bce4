import { defined } from '../../protocol/defined.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { type LineDraft, lineType } from '../../protocol/line.ts';

/**
 * A line in the old form of a rollout. Only records for screens differ: each kind has an event of its own, and what the
 * old form has no event for is left out. Plans were kept in the new form even there.
 */
export function legacyForm(draft: LineDraft): readonly LineDraft[] {
  const { type, payload } = draft;
  if (type !== lineType.event || payload['type'] !== 'item_completed') return [draft];
  const item = objectAt(payload, 'item') ?? {};
  if (item['type'] === 'Plan') return [draft];
  return legacyEvents(item, stringAt(payload, 'turn_id') ?? '').map((event) => ({ type, payload: event }));
}

function legacyEvents(item: JsonObject, turnId: string): readonly JsonObject[] {
  const content = arrayAt(item, 'content')?.filter(isJsonObject) ?? [];
  const message = content.flatMap((part) => stringAt(part, 'text') ?? []).join('\n');
  switch (item['type']) {
    case 'UserMessage': {
      const images = content.flatMap((part) => (part['type'] === 'local_image' ? [part['path'] ?? ''] : []));
      return [{ type: 'user_message', message, images: [], local_images: images, text_elements: [] }];
    }
    case 'AgentMessage':
      return [{ type: 'agent_message', message, phase: item['phase'] ?? null, memory_citation: null }];
    case 'Reasoning':
      return (arrayAt(item, 'summary_text') ?? []).map((text) => ({ type: 'agent_reasoning', text }));
    case 'FileChange':
      return [
        {
          type: 'patch_apply_end',
          call_id: item['id'],
          turn_id: turnId,
          stdout: '',
          stderr: '',
          success: item['status'] === 'completed',
          changes: item['changes'],
          status: item['status'],
          ...defined({ capstan: item['capstan'] }),
        },
      ];
    case 'ContextCompaction':
      return [{ type: 'context_compacted' }];
    default:
      return [];
  }
}
