import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { shellWords } from '../../../protocol/shell-words.ts';
import { oneLine } from '../../../state/one-line.ts';
import { questionWords } from '../../wording/question-words.ts';

/** What a turn does now, in a few words; undefined where nothing new begins. */
export function progressWords(event: ThreadEvent): string | undefined {
  switch (event.kind) {
    case 'turn-started':
      return 'The turn begins.';
    case 'item-started':
    case 'item-completed':
      return itemWords(event.item, event.kind === 'item-started');
    case 'usage':
      return `${event.percentRemaining} % of the window is left.`;
    case 'checkpoint-started':
      return 'Compacting the history.';
    case 'checkpoint-stage':
      return `Compacting part ${event.stage} of ${event.of}.`;
    case 'checkpoint-installed':
      return 'The history is compacted.';
    case 'checkpoint-failed':
      return 'The history could not be compacted.';
    case 'question-asked':
      return oneLine(`Waiting for an answer: ${questionWords(event.question)}`, mostCharacters);
    case 'hook-started':
      return event.names.length === 0
        ? undefined
        : oneLine(`Running the hook ${event.names.join(', ')}`, mostCharacters);
    case 'retrying':
      return 'The request failed and is sent again.';
    case 'thread-started':
    case 'settings':
    case 'context':
    case 'model-switched':
    case 'item-updated':
    case 'call-refused':
    case 'hook-completed':
    case 'question-answered':
    case 'prefix-broken':
    case 'code-reviewed':
    case 'warning':
    case 'turn-completed':
    case 'turn-failed':
    case 'turn-aborted':
    case 'turn-suspended':
      return undefined;
  }
}

const mostCharacters = 120;

function itemWords(item: TurnItem, begins: boolean): string | undefined {
  switch (item.kind) {
    case 'command':
      return begins ? oneLine(`Running ${shellWords(item.argv)}`, mostCharacters) : undefined;
    case 'file-change':
      return begins ? 'Changing files.' : undefined;
    case 'tool-call':
      return begins ? oneLine(`Calling ${item.tool}`, mostCharacters) : undefined;
    case 'reasoning':
      return begins ? 'Thinking.' : undefined;
    case 'agent-message':
      return begins ? undefined : oneLine(item.text, mostCharacters);
    case 'web-search':
      return oneLine(`Searching the web: ${item.query}`, mostCharacters);
    case 'image-generation':
      return 'Generated an image.';
    case 'user-message':
    case 'plan':
    case 'image-view':
      return undefined;
  }
}
