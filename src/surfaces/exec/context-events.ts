import type { JsonObject } from '../../protocol/json.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { count } from '../wording/number-words.ts';
import { causeWords } from '../wording/checkpoint-words.ts';
import { contextFields } from '../wording/context-fields.ts';
import { brokenPrefix } from '../wording/prefix-words.ts';

const types = {
  settings: 'thread.settings',
  context: 'context.added',
  'model-switched': 'context.model_switched',
  usage: 'context.usage',
  'prefix-broken': 'context.prefix_broken',
  'checkpoint-started': 'context.checkpoint',
  'checkpoint-installed': 'context.checkpoint',
  'checkpoint-failed': 'context.checkpoint',
} as const;

/** Events about what the model receives. They are printed only on request: other readers of events do not know them. */
export type ContextNews = Extract<ThreadEvent, { kind: keyof typeof types }>;

export interface ExecContextEvent {
  readonly type: (typeof types)[ContextNews['kind']] | 'context.warning';
  readonly [key: string]: unknown;
}

export function isContextNews(event: ThreadEvent): event is ContextNews {
  return Object.hasOwn(types, event.kind);
}

export function execContextEvent(event: ContextNews): ExecContextEvent {
  return { type: types[event.kind], ...contextFields(event), ...stateOf(event) };
}

/** The three sorts of news about a checkpoint have one type. */
function stateOf({ kind }: ContextNews): JsonObject {
  return kind.startsWith('checkpoint-') ? { state: kind.slice('checkpoint-'.length) } : {};
}

/** The same for the user, in a line or two; undefined for what is said elsewhere. */
export function contextLine(event: ContextNews): string | undefined {
  switch (event.kind) {
    case 'settings':
    case 'checkpoint-installed':
    case 'checkpoint-failed':
      return undefined;
    case 'context': {
      if (event.cause === 'user') return undefined;
      const why = event.why === undefined ? '' : ` after ${event.why}`;
      return `context: ${event.content} (${event.cause}${why}, ${count(event.text.length)} characters)`;
    }
    case 'model-switched': {
      const moved = event.changes.map(({ field }) => field).join(', ');
      return `model: ${event.from} -> ${event.to}${moved === '' ? '' : `; with it: ${moved}`}`;
    }
    case 'usage': {
      const about = event.measure === 'exact' ? '' : 'about ';
      return `window: ${about}${count(event.tokens)} of ${count(event.effectiveWindow)} tokens, ${event.percentRemaining} % left`;
    }
    case 'checkpoint-started':
      return `checkpoint: ${event.model} compacts about ${count(event.tokens)} tokens (${event.strategy}; ${causeWords(event)})`;
    case 'prefix-broken':
      return event.breaks.map((each) => `cache: ${brokenPrefix(each)}`).join('\n');
  }
}
