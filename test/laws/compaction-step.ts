import {
  answer,
  callTool,
  cutAfter,
  failed,
  hang,
  httpError,
  overflow,
  type RecordedRequest,
  say,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { checkpointText, userTexts } from '../compaction/summariser.ts';
import type { WatchedThread } from '../harness/watched-thread.ts';
import type { CompactionAnswer } from './random-turns.ts';

/** The scripted answer to a request for a checkpoint. */
export function compactionStepFor(
  how: CompactionAnswer | undefined,
  request: RecordedRequest,
  thread: WatchedThread,
  interrupt: () => void,
): ScriptStep {
  const texts = userTexts(request);
  const good = answer({ items: [say(checkpointText(texts.at(-2) ?? '', texts.slice(-4, -1)))] });
  switch (how) {
    case undefined:
    case 'good':
      return good;
    case 'prose':
      return answer({ items: [say('We talked about this and that.')] });
    case 'empty':
      return answer({ items: [] });
    case 'calls':
      return answer({ items: [callTool('exec_command', { cmd: 'echo compact' })] });
    case 'failed':
      return failed({ code: 'server_error', message: 'It broke.' });
    case 'status':
      return httpError({ status: 400, body: { error: { message: 'no' } } });
    case 'cut':
      return cutAfter({ bytes: 200, of: good });
    case 'overflow':
      return overflow('failed');
    case 'interrupt': {
      const started = thread.events.findLast(({ kind }) => kind === 'checkpoint-started');
      // Only closing the thread interrupts what frees space after a turn.
      if (started?.kind === 'checkpoint-started' && started.phase === 'post_turn')
        return failed({ code: 'x', message: '' });
      setTimeout(interrupt, 1);
      return hang({ afterBytes: 100, of: good });
    }
  }
}
