import type { CompactionWindow } from '../../compaction/plan/plan.ts';
import { defined } from '../../protocol/defined.ts';
import { type Contract, instructionsNow, windowNow } from './contract-now.ts';

/** What the compactor reads of a turn's contract, or of the contract under which another model is asked. */
export function compactionContract(contract: Contract) {
  const { identity, instructions, modes, capabilities } = contract.envelope;
  const { compactPrompt } = instructions;
  return {
    model: identity.model.slug,
    compatibility: identity.model.compatibility,
    strategy: modes.compaction,
    ...defined({ prompt: compactPrompt }),
    instructions: instructionsNow(contract).text,
    tools: capabilities.tools,
    modalities: capabilities.modalities,
    window: compactionWindow(contract),
  };
}

export function compactionWindow(contract: Contract): CompactionWindow {
  const { effective, autoCompact, autoCompactScope, compactionReserve, checkpoint } = windowNow(contract);
  return { effective, autoCompact, autoCompactScope, compactionReserve, checkpoint };
}
