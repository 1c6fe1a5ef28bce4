import type { CompactionWindow } from '../compaction/plan.ts';
import type { Envelope } from '../envelope/envelope.ts';

/** What the compactor reads of a turn's contract, or of the contract under which another model is asked. */
export function compactionContract(envelope: Envelope) {
  const { identity, instructions, modes, capabilities } = envelope;
  const { compactPrompt } = instructions;
  return {
    model: identity.model.slug,
    compatibility: identity.model.compatibility,
    strategy: modes.compaction,
    ...(compactPrompt === undefined ? {} : { prompt: compactPrompt }),
    instructions: instructions.base.text,
    tools: capabilities.tools,
    modalities: capabilities.modalities,
    window: compactionWindow(envelope),
  };
}

export function compactionWindow({ window }: Envelope): CompactionWindow {
  const { effective, autoCompact, autoCompactScope, compactionReserve, checkpoint } = window;
  return { effective, autoCompact, autoCompactScope, compactionReserve, checkpoint };
}
