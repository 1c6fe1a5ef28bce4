import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { dim } from '../terminal/look.ts';
import type { Screen } from '../terminal/screen.ts';
import { checkpointLine, failedCheckpointLine } from '../wording/checkpoint-words.ts';
import { contextLine, isContextNews } from './context-events.ts';

/** Checkpoints, and with `--verbose` all that the model is told and what it costs. */
export function sayNews(screen: Screen, event: ThreadEvent, verbose: boolean): void {
  if (event.kind === 'checkpoint-installed') screen.note(dim(checkpointLine(event.report)));
  if (event.kind === 'checkpoint-failed') screen.note(failedCheckpointLine(event));
  const line = verbose && isContextNews(event) ? contextLine(event) : undefined;
  if (line !== undefined) screen.note(dim(line));
}
