import type { TuiSettings } from '../../../core/config/tui-settings.ts';
import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { questionWords } from '../../views/questions/question-lines.ts';
import { notificationSequence } from '../screen/terminal/terminal-sequences.ts';
import type { TerminalContext } from './terminal-context.ts';

export const notificationKinds = ['agent-turn-complete', 'approval-requested', 'user-input-requested'] as const;
type NotificationKind = (typeof notificationKinds)[number];
type NotifierSettings = Pick<TuiSettings, 'notifications' | 'notificationMethod' | 'notificationCondition'>;
type Surroundings = Pick<TerminalContext, 'hasFocus' | 'env' | 'write'>;
/** A turn that follows at once, from the queue or for a goal, begins within this time. */
const settleMs = 200;

export class Notifier {
  readonly #surroundings: Surroundings;
  readonly #settings: NotifierSettings;
  #ending: NodeJS.Timeout | undefined;

  constructor(surroundings: Surroundings, settings: NotifierSettings) {
    this.#surroundings = surroundings;
    this.#settings = settings;
  }

  /** Call for live events only, not for those read from a file. */
  observe(event: ThreadEvent): void {
    switch (event.kind) {
      case 'turn-started':
        return this.clear();
      case 'question-asked':
        if (event.to !== undefined) return;
        this.clear();
        return this.#send(kindOf(event.question), `Capstan asks whether it may ${questionWords(event.question)}`);
      case 'turn-completed':
        return this.#end(event.lastMessage ?? 'The turn is complete');
      case 'turn-failed':
        return this.#end(event.outcome.message);
      default:
        return;
    }
  }

  clear(): void {
    clearTimeout(this.#ending);
    this.#ending = undefined;
  }

  #end(words: string): void {
    this.clear();
    // Begin with a name: some terminals do not accept text that begins with a number.
    this.#ending = setTimeout(() => this.#send('agent-turn-complete', `Capstan: ${words}`), settleMs).unref();
  }

  #send(kind: NotificationKind, text: string): void {
    const { notifications, notificationMethod, notificationCondition } = this.#settings;
    const isWanted = typeof notifications === 'boolean' ? notifications : notifications.includes(kind);
    const { hasFocus, env } = this.#surroundings;
    if (!isWanted || (notificationCondition === 'unfocused' && hasFocus)) return;
    this.#surroundings.write(notificationSequence(text, notificationMethod, env));
  }
}

const kindOf = ({ kind }: Question): NotificationKind =>
  kind === 'input' || kind === 'elicitation' ? 'user-input-requested' : 'approval-requested';
