import type { JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { usageForPrograms } from '../../views/wording/cost-words.ts';
import type { LiveNews } from '../../../engine/live/live-thread-types.ts';
import { answerFields, askedFields, contextFields, execItem } from '../../views/wording/json-fields.ts';

/** News of a thread as a typed event for clients, in snake case, with the names of `exec --json`. */
export function newsFields(news: LiveNews): JsonObject {
  switch (news.kind) {
    case 'recorded':
    case 'passing':
      return eventFields(news.event);
    case 'preview':
      return previewFields(news.event);
    case 'missed':
      return { type: 'missed', passing: news.passing, previews: news.previews };
    case 'rewound':
      return { type: 'rewound', to: news.to };
    case 'ended':
      return { type: 'ended', ...errorFields(news.outcome) };
  }
}

function eventFields(event: ThreadEvent): JsonObject {
  const type = event.kind.replaceAll('-', '_');
  const ofTurn = { type, turn_id: 'turnId' in event ? event.turnId : undefined };
  switch (event.kind) {
    case 'thread-started':
      return { type };
    case 'context': {
      const { content, ...others } = contextFields(event);
      return { type, kind: content, ...others };
    }
    case 'settings':
    case 'code-reviewed':
    case 'model-switched':
    case 'usage':
    case 'prefix-broken':
    case 'turn-started':
    case 'turn-aborted':
    case 'checkpoint-started':
    case 'checkpoint-stage':
    case 'checkpoint-installed':
      return { type, ...contextFields(event) };
    case 'checkpoint-failed': {
      const { outcome: _outcome, ...others } = contextFields(event);
      return { type, ...others, error: errorFields(event.outcome) };
    }
    case 'item-started':
    case 'item-updated':
    case 'item-completed':
      return { ...ofTurn, item: itemFields(event.item) };
    case 'hook-started':
      return { ...ofTurn, event: event.event, names: event.names };
    case 'hook-completed': {
      const { durationMs, entries, ...run } = event.run;
      const shown = entries.map((entry) => ({ ...entry }));
      return { ...ofTurn, run: { ...run, duration_ms: durationMs, entries: shown } };
    }
    case 'call-refused': {
      const { callId, tool, reason, item } = event;
      return { ...ofTurn, call_id: callId, tool, reason, item: item && itemFields(item) };
    }
    case 'question-asked':
      return { ...ofTurn, question: askedFields(event.question) as unknown as JsonObject, to: event.to };
    case 'question-answered':
      return { ...ofTurn, question_id: event.id, ...(answerFields(event.answer) as unknown as JsonObject) };
    case 'warning':
      return { type, ...errorFields(event.outcome) };
    case 'retrying':
      return { type, ...errorFields(event.outcome), wait_ms: event.waitMs };
    case 'turn-completed': {
      const { usage, lastMessage, endedBy } = event;
      return { ...ofTurn, usage: usageForPrograms(usage), last_message: lastMessage, ended_by: endedBy };
    }
    case 'turn-failed': {
      const { outcome, lastMessage, continuedBy } = event;
      return { ...ofTurn, error: errorFields(outcome), last_message: lastMessage, continued_by: continuedBy };
    }
    case 'turn-suspended':
      return { ...ofTurn, questions: event.questions.map(askedFields) as unknown as readonly JsonObject[] };
  }
}

function previewFields(event: ProvisionalEvent): JsonObject {
  const { kind, turnId, itemId } = event;
  const head = { type: 'preview', kind, turn_id: turnId, item_id: itemId };
  switch (event.kind) {
    case 'text':
    case 'output':
      return { ...head, text: event.text };
    case 'reasoning':
      return { ...head, part: event.part, text: event.text };
    case 'dropped':
      return head;
  }
}

/** Includes items that `exec` does not print. The id is the item's own: previews refer to it. */
function itemFields(item: TurnItem): JsonObject {
  switch (item.kind) {
    case 'user-message':
      return { id: item.id, type: 'user_message', text: item.text, images: item.images };
    case 'image-view':
      return { id: item.id, type: 'image_view', path: item.path, problem: item.problem };
    default:
      return execItem(item, item.id) as unknown as JsonObject;
  }
}

export const errorFields = ({ code, message, next }: Outcome): JsonObject => ({ code, message, next });
