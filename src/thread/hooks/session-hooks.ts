import type { Turn } from '../parts/parts.ts';
import { runHooks } from './run-hooks.ts';

/**
 * Hooks of the start of a session, where they are due: in the first turn that this process runs, and after history was
 * compacted. What they say is sent by a section of the world.
 */
export async function startSession(turn: Turn): Promise<void> {
  const { parts, log, threadId } = turn;
  const { turns, checkpoints } = log.state;
  const source = parts.hooks?.takeStart({ threadId, turns, checkpoints: checkpoints.count });
  if (source === undefined) return;
  if (parts.agent !== undefined) {
    // Hooks cannot keep an agent from its work.
    if (source !== 'compact') await runHooks(turn, { event: 'SubagentStart', subjects: [parts.agent.role], about: {} });
    return;
  }
  const { stopped } = await runHooks(turn, { event: 'SessionStart', subjects: [source], about: { source } });
  if (stopped !== undefined) turn.memory.endedBy = 'hook';
}
