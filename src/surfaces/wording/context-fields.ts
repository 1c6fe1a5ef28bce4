import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { usageForPrograms } from './money-words.ts';
import { checkpointFields } from './checkpoint-fields.ts';
import { snakeCased } from './snake-cased.ts';

/** The members of an event about the context, under names in snake case. Whose event it is, is said around it. */
export function contextFields(event: ThreadEvent): JsonObject {
  const { kind: _kind, ...members } = event;
  const { thread_id: _thread, ...shown } = snakeCased(members);
  return { ...shown, ...ownFields(event) };
}

/** What is not printed as it is. */
function ownFields(event: ThreadEvent): JsonObject {
  switch (event.kind) {
    case 'usage':
      return { ...defined({ last: event.last && usageForPrograms(event.last) }), total: usageForPrograms(event.total) };
    case 'turn-started':
      return { usage: usageForPrograms(event.usage) };
    case 'checkpoint-installed':
      return { report: checkpointFields(event.report) };
    default:
      return {};
  }
}
