import type { BaseInstructions, Facts, NamedWindow, ThreadFacts, TurnFacts } from '../../envelope/facts.ts';
import type { Envelope } from '../../envelope/envelope.ts';
import { type Window, windowUnder } from '../../envelope/window.ts';
import { instructionsOf, type ThreadState } from '../../state/thread-state.ts';
import type { ThreadLog } from '../parts/log.ts';
import type { ThreadParts } from '../parts/parts.ts';
import { userFacts } from '../parts/user-facts.ts';
import { requestTokens } from '../../history/ledger.ts';
import type { CompactionWindow } from '../../compaction/plan/plan.ts';
import { defined } from '../../protocol/defined.ts';

/** An envelope, and the thread in which it holds. */
export interface Contract {
  readonly parts: Pick<ThreadParts, 'router' | 'hooks' | 'skills'>;
  readonly log: Pick<ThreadLog, 'state'>;
  readonly envelope: Envelope;
}

/** The budgets under the contract, no wider than what the server has named in this thread so far. */
export function windowNow({ parts, log, envelope }: Contract): Window {
  return windowUnder(envelope, namedWindows(parts, log.state));
}

/** What requests begin with. Before the first line of a thread that is what the contract says. */
export function instructionsNow({ log, envelope }: Contract): BaseInstructions {
  return instructionsOf(log.state) ?? envelope.instructions.base;
}

/** What four fifths of a window must leave beside instructions and tools. In a smaller one no conversation fits. */
const leastSpace = 4000;
const usedShare = 0.8;

/** The windows that servers named. A file may claim anything: one that leaves no space for a conversation is left out. */
function namedWindows({ router }: Contract['parts'], state: ThreadState): readonly NamedWindow[] {
  const named = state.limits.flatMap(({ provider, model, named: claim }) =>
    claim === undefined ? [] : [{ provider, model, ...claim }],
  );
  if (named.length === 0) return named;
  const instructions = instructionsOf(state)?.text ?? '';
  const tools = router.specs(
    router.tools.map(({ name }) => name),
    'plain',
  );
  const fixed = requestTokens({ instructions, tools, input: [] });
  return named.filter(({ tokens }) => tokens * usedShare >= fixed + leastSpace);
}

/** What the thread's own lines say about its turns, for the contract of the next one. */
export function pastFacts(parts: Contract['parts'], state: ThreadState): Pick<ThreadFacts, 'base' | 'windows'> {
  const windows = namedWindows(parts, state);
  return defined({ base: instructionsOf(state), windows: windows.length === 0 ? undefined : windows });
}

/** What the envelope of a turn is resolved from. */
export function factsForTurn(
  parts: Pick<ThreadParts, 'router' | 'askUser'>,
  gathered: Facts,
  thread: ThreadFacts,
): TurnFacts {
  return { ...gathered, thread, tools: parts.router.tools, ...userFacts(parts) };
}

/** What the compactor reads of a turn's contract, or of the contract under which another model is asked. */
export function compactionContract(contract: Contract) {
  const { identity, instructions, modes, capabilities } = contract.envelope;
  return {
    model: identity.model.slug,
    compatibility: identity.model.compatibility,
    strategy: modes.compaction,
    ...defined({ prompt: instructions.compactPrompt }),
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
