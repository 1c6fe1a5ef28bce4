import type { Draft } from '../composer/draft.ts';
import type { DraftDoors } from './draft-doors.ts';
import type { SlashName } from '../views/slash-table.ts';

/** What the keyboard may ask of the conversation. Each call returns at once; what comes of it is shown. */
export interface Conversation {
  /** A turn or a compaction runs. */
  readonly isBusy: boolean;
  /** What the composer needs of the engine. */
  readonly doors: DraftDoors;
  /** A message: a turn of its own, or for the turn that runs. */
  send(draft: Draft): void;
  /** A message or a command for when the turn has ended, after those that wait. */
  queue(draft: Draft): void;
  /** The newest of those that wait, which waits no more. */
  takeQueued(): Draft | undefined;
  /** The last turn failed, and nothing was asked for since. */
  readonly canRetry: boolean;
  /** That turn once more. */
  retry(): void;
  /** A command for the user's shell. */
  shell(command: string): void;
  /** A command for the terminal. False: the draft stays. */
  slash(name: SlashName, rest: string): void;
  /** A turn, a compaction or a command of the user runs. */
  readonly canInterrupt: boolean;
  /** What stands above the composer ends. `send-steers`: words that the turn has not read are sent at once; otherwise they come back, as all that waits. */
  interrupt(then: 'send-steers' | 'give-back'): void;
  /** Plan mode on or off. */
  cycleMode(): void;
  /** The next permissions. */
  cyclePermissions(): void;
  /** The conversation with all details. */
  showTranscript(): void;
  /** The details of the newest quiet line. */
  showNewestDetails(): void;
  /** More or less effort of the model, for this conversation. */
  stepEffort(by: 1 | -1): void;
  /** Shows the first agent of the thread, or the last. */
  stepAgent(by: 1 | -1): void;
}
