import type { JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { usageForPrograms } from '../../views/wording/cost-words.ts';
import type { LiveNews } from '../../../engine/live/live-thread-types.ts';
import { answerFields, questionJson, contextFields, execItem } from '../../views/wording/json-fields.ts';

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
  switch (event.kind) {
    case 'thread-started':
      return { type: 'thread_started' };
    case 'context': {
      const { content, ...others } = contextFields(event);
      return { type: 'context', kind: content, ...others };
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
      return { type: typeOf(event), ...contextFields(event) };
    case 'checkpoint-failed': {
      const { outcome: _outcome, ...others } = contextFields(event);
      return { type: typeOf(event), ...others, error: errorFields(event.outcome) };
    }
    case 'item-started':
    case 'item-updated':
    case 'item-completed':
      return { type: typeOf(event), turn_id: event.turnId, item: itemFields(event.item) };
    case 'hook-started':
      return { type: typeOf(event), turn_id: event.turnId, event: event.event, names: event.names };
    case 'hook-completed': {
      const { durationMs, entries, ...run } = event.run;
      const shown = entries.map((entry) => ({ ...entry }));
      return { type: typeOf(event), turn_id: event.turnId, run: { ...run, duration_ms: durationMs, entries: shown } };
    }
    case 'call-refused': {
      const { turnId, callId, tool, reason, item } = event;
      const call = { turn_id: turnId, call_id: callId, tool, reason, item: item && itemFields(item) };
      return { type: typeOf(event), ...call };
    }
    case 'question-asked': {
      const question = questionJson(event.question) as unknown as JsonObject;
      return { type: typeOf(event), turn_id: event.turnId, question, to: event.to };
    }
    case 'question-answered': {
      const answer = answerFields(event.answer) as unknown as JsonObject;
      return { type: typeOf(event), turn_id: event.turnId, question_id: event.id, ...answer };
    }
    case 'warning':
      return { type: 'warning', ...errorFields(event.outcome) };
    case 'retrying':
      return { type: 'retrying', ...errorFields(event.outcome), wait_ms: event.waitMs };
    case 'turn-completed': {
      const { turnId, usage, lastMessage, endedBy } = event;
      const end = { usage: usageForPrograms(usage), last_message: lastMessage, ended_by: endedBy };
      return { type: typeOf(event), turn_id: turnId, ...end };
    }
    case 'turn-failed': {
      const { turnId, outcome, lastMessage, continuedBy } = event;
      const end = { error: errorFields(outcome), last_message: lastMessage, continued_by: continuedBy };
      return { type: typeOf(event), turn_id: turnId, ...end };
    }
    case 'turn-suspended': {
      const questions = event.questions.map(questionJson) as unknown as readonly JsonObject[];
      return { type: typeOf(event), turn_id: event.turnId, questions };
    }
  }
}

function typeOf({ kind }: ThreadEvent): string {
  return kind.replaceAll('-', '_');
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

export function errorFields({ code, message, next }: Outcome): JsonObject {
  return { code, message, next };
}
