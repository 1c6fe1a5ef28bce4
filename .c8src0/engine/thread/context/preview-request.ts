import { defined } from '../../../base/objects.ts';
import { type Envelope, resolveEnvelope, type Step } from '../../../core/envelope/envelope.ts';
import { resolveEnvironment } from '../../../core/envelope/environment.ts';
import type { GatheredFacts } from '../../../core/envelope/facts.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import { grantsUnder } from '../../../core/policy/grants/grants.ts';
import { settingsAppliedLine, envelopeForLine } from '../../../core/state/drafts/turn-lines.ts';
import { instructionsOf, type ThreadState } from '../../../core/state/thread-state.ts';
import type { WorldUpdate } from '../../../core/world/tell-world.ts';
import type { ThreadId, TurnId } from '../../../protocol/ids.ts';
import { equalJson, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { SettingsEvent } from '../../../protocol/thread-event.ts';
import type { ThreadParts } from '../thread-parts.ts';
import { contextToSend, skillsCutNotice, stepNow } from './current-step.ts';
import { factsForTurn, pastFacts } from './turn-contract.ts';

/** The envelope that a turn would have now. Records nothing. */
export async function previewEnvelope(parts: ThreadParts, id: ThreadId, settings: Settings, state: ThreadState) {
  const facts = await parts.gatherFacts(settings);
  const thread = { id, turnId: id as string as TurnId, ...pastFacts(parts, state) };
  return resolveEnvelope(factsForTurn(parts, facts, thread), settings);
}

export interface NextRequest {
  readonly envelope: JsonObject;
  /** Base instructions; those of the thread, once it has made a request. */
  readonly instructions: string;
  readonly tools: Step['tools'];
  readonly update: WorldUpdate;
  readonly waiting: ThreadState['waiting'];
  /** Skills that did not fit into the list. Absent: it is whole. */
  readonly skillsCut?: Outcome;
}

export async function previewRequest(
  parts: ThreadParts,
  id: ThreadId,
  settings: Settings,
  state: ThreadState,
): Promise<NextRequest> {
  const envelope = await previewEnvelope(parts, id, settings, state);
  const answered = { session: grantsUnder(state.grants, envelope.policy), turn: [] };
  const contract = { parts, envelope, log: { state } };
  const { step } = await stepNow(contract, 0, answered);
  const [{ tools }, { waiting }] = [step, state];
  const instructions = (instructionsOf(state) ?? envelope.instructions.base).text;
  const update = contextToSend(state, step);
  const more = defined({ skillsCut: skillsCutNotice(contract) });
  return { envelope: envelopeForLine(envelope), instructions, tools, update, waiting, ...more };
}

export function settingsEvent(cause: SettingsEvent['cause'], envelope: Envelope): SettingsEvent {
  const { thread_settings } = settingsAppliedLine(envelope.telemetry.threadId, envelope).payload;
  const { capstan, ...shared } = thread_settings as JsonObject;
  // Leave out the long texts with which the thread was started: they are not news.
  const { start: _start, ...ours } = capstan as JsonObject;
  const settings = { ...shared, capstan: ours };
  const environment = resolveEnvironment(envelope, { date: envelope.workspace.date }) as unknown as JsonObject;
  return { kind: 'settings', cause, settings, environment };
}

/** For a first turn that follows at once: under unchanged settings it reuses the facts gathered to begin the thread. */
export function reuseFirstFacts(parts: ThreadParts): ThreadParts {
  let first: { readonly settings: Settings; readonly facts: GatheredFacts } | undefined;
  let looks = 0;
  return {
    ...parts,
    async gatherFacts(settings) {
      looks += 1;
      const known = first;
      first = undefined;
      if (known !== undefined && equalJson(known.settings as unknown as Json, settings as unknown as Json)) {
        return { ...known.facts, time: { ...known.facts.time, epochMs: parts.clock.now() } };
      }
      const facts = await parts.gatherFacts(settings);
      if (looks === 1) first = { settings, facts };
      return facts;
    },
  };
}
