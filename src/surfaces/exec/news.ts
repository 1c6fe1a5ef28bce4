import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { dim } from '../terminal/look.ts';
import type { Screen } from '../terminal/screen.ts';
import { checkpointLine, failedCheckpointLine } from '../wording/checkpoint-words.ts';
import { agentEnd } from './agent-lines.ts';
import { contextLine, isContextNews } from './context-events.ts';
import { hookLines } from './hook-lines.ts';

/**
 * Checkpoints, what hooks changed, agents that ended their work, and with `--verbose` all that the model receives and
 * what it costs.
 */
export function sayNews(screen: Screen, event: ThreadEvent, verbose: boolean): void {
  if (event.kind === 'checkpoint-installed') screen.message(checkpointLine(event.report), { look: 'dim' });
  if (event.kind === 'checkpoint-failed') screen.message(failedCheckpointLine(event), { look: 'yellow' });
  if (event.kind === 'hook-completed') for (const each of hookLines(event.run)) screen.message(each, { look: 'dim' });
  const ended = event.kind === 'context' ? agentEnd(event) : undefined;
  if (ended !== undefined) screen.note(dim(ended));
  const line = verbose && isContextNews(event) ? contextLine(event) : undefined;
  if (line !== undefined) screen.note(dim(line));
}
