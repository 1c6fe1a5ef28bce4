import type { ThreadEvent } from '@openai/codex-sdk';
import type { JsonObject } from '../../../src/protocol/json.ts';
import * as exec from '../events.ts';

/** Type by type, as `item.completed agent_message`. */
export function kindsOf(events: readonly ThreadEvent[]): readonly string[] {
  return exec.kindsOf({ events: events as unknown as readonly JsonObject[] });
}
