import type { EngineChoices } from '../../exec/load-engine.ts';
import type { PauseTimes } from '../views/typing-pause.ts';

/** Which conversation the terminal opens. `pick`: the user chooses from a list. */
export type WantedConversation =
  | { readonly kind: 'new' }
  | { readonly kind: 'pick' }
  | { readonly kind: 'last' }
  | { readonly kind: 'named'; readonly name: string };

/** What the terminal was opened with. */
export interface TuiRequest {
  /** Absolute. */
  readonly cwd: string;
  readonly choices: EngineChoices;
  readonly thread: WantedConversation;
  /** What becomes of an earlier one. Absent: it is resumed. */
  readonly does?: 'resume' | 'fork';
  /** Threads of every folder are looked at. */
  readonly anyFolder?: boolean;
  readonly prompt?: string;
  readonly isFull: boolean;
  /** For a screen reader. */
  readonly isReader?: boolean;
  /** The scrollback, whatever the configuration says. */
  readonly isInline?: boolean;
  /** How long questions wait for a quiet keyboard. Absent: as long as people need. */
  readonly pauses?: PauseTimes;
}
