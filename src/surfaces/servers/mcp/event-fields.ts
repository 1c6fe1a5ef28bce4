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
      return { type: news.event.kind.replaceAll('-', '_'), ...eventFields(news.event) };
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

/** The members of the event, without its type. */
function eventFields(event: ThreadEvent): JsonObject {
  switch (event.kind) {
    case 'thread-started':
      return {};
    case 'context': {
      const { content, ...others } = contextFields(event);
      return { kind: content, ...others };
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
      return contextFields(event);
    case 'checkpoint-failed': {
      const { outcome: _outcome, ...others } = contextFields(event);
      return { ...others, error: errorFields(event.outcome) };
    }
    case 'item-started':
    case 'item-updated':
    case 'item-completed':
      return { turn_id: event.turnId, item: itemFields(event.item) };
    case 'hook-started':
      return { turn_id: event.turnId, event: event.event, names: event.names };
    case 'hook-completed': {
      const { durationMs, entries, ...run } = event.run;
      const shown = { ...run, duration_ms: durationMs, entries: entries.map((entry) => ({ ...entry })) };
      return { turn_id: event.turnId, run: shown };
    }
    case 'call-refused': {
      const { turnId, callId, tool, reason, item } = event;
      return { turn_id: turnId, call_id: callId, tool, reason, item: item && itemFields(item) };
    }
    case 'question-asked': {
      return { turn_id: event.turnId, question: questionJson(event.question) as unknown as JsonObject, to: event.to };
    }
    case 'question-answered': {
      return { turn_id: event.turnId, question_id: event.id, ...(answerFields(event.answer) as unknown as JsonObject) };
    }
    case 'warning':
      return errorFields(event.outcome);
    case 'retrying':
      return { ...errorFields(event.outcome), wait_ms: event.waitMs };
    case 'turn-completed': {
      const { turnId, usage, lastMessage, endedBy } = event;
      return { turn_id: turnId, usage: usageForPrograms(usage), last_message: lastMessage, ended_by: endedBy };
    }
    case 'turn-failed': {
      const { turnId, outcome, lastMessage, continuedBy } = event;
      return { turn_id: turnId, error: errorFields(outcome), last_message: lastMessage, continued_by: continuedBy };
    }
    case 'turn-suspended': {
      const questions = event.questions.map(questionJson) as unknown as readonly JsonObject[];
      return { turn_id: event.turnId, questions };
    }
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
