import { type Envelope, resolveEnvelope } from '../../envelope/envelope.ts';
import { environmentOf } from '../../envelope/environment.ts';
import type { Settings } from '../../envelope/settings.ts';
import type { Step } from '../../envelope/step.ts';
import { grantsUnder } from '../../policy/session-grants.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { SettingsEvent } from '../../protocol/thread-event.ts';
import { storeEnvelope } from '../../state/stored-envelope.ts';
import { instructionsOf, type ThreadState } from '../../state/thread-state.ts';
import { settingsApplied } from '../../state/turn-drafts.ts';
import type { Telling } from '../../world/tell.ts';
import { pastFacts, factsForTurn } from './contract-now.ts';
import type { ThreadParts } from '../parts/parts.ts';
import { skillsCut } from './skills-now.ts';
import { stepNow, tellingFor } from './step-now.ts';

/** The envelope that a turn would have now. Nothing of it is recorded. */
export async function previewEnvelope(
  parts: ThreadParts,
  id: ThreadId,
  settings: Settings,
  state: ThreadState,
): Promise<Envelope> {
  const facts = await parts.gatherFacts(settings);
  const thread = { id, turnId: id as string as TurnId, ...pastFacts(parts, state) };
  return resolveEnvelope(factsForTurn(parts, facts, thread), settings);
}

/** The first request that a turn would make now, but for what the user says. */
export interface NextRequest {
  /** As a line would keep it. */
  readonly envelope: JsonObject;
  /** What requests begin with; those of the thread, once it has made one. */
  readonly instructions: string;
  readonly tools: Step['tools'];
  readonly telling: Telling;
  /** Messages that it takes in. */
  readonly waiting: ThreadState['waiting'];
  /** What the list of skills would not hold. Absent: it is whole. */
  readonly skillsCut?: Outcome;
}

export async function previewRequest(
  parts: ThreadParts,
  id: ThreadId,
  settings: Settings,
  state: ThreadState,
): Promise<NextRequest> {
  const envelope = await previewEnvelope(parts, id, settings, state);
  // A new turn has no grants of its own.
  const answered = { session: grantsUnder(state.grants, envelope.policy), turn: [] };
  const contract = { parts, envelope, log: { state } };
  const { step } = await stepNow(contract, 0, answered);
  const [{ tools }, { waiting }] = [step, state];
  const instructions = (instructionsOf(state) ?? envelope.instructions.base).text;
  const telling = tellingFor(state, step);
  const more = defined({ skillsCut: skillsCut(contract) });
  return { envelope: storeEnvelope(envelope), instructions, tools, telling, waiting, ...more };
}

export function settingsEvent(cause: SettingsEvent['cause'], envelope: Envelope): SettingsEvent {
  const { thread_settings } = settingsApplied(envelope.telemetry.threadId, envelope).payload;
  const { capstan, ...shared } = thread_settings as JsonObject;
  // Long texts that the thread was started with are no news.
  const { start: _start, ...ours } = capstan as JsonObject;
  const settings = { ...shared, capstan: ours };
  const environment = environmentOf(envelope, { date: envelope.workspace.date }) as unknown as JsonObject;
  return { kind: 'settings', cause, settings, environment };
}
