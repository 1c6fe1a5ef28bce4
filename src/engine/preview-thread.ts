import { uncheckedOption, recordOption, optionWhere } from '../core/envelope/read-options.ts';
import { defined } from '../base/objects.ts';
import { isJsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ApprovalPolicy } from '../protocol/permissions.ts';
import type { AskUser } from '../ports/ask-user.ts';
import { agentIdentityIn } from '../core/state/fold/agents.ts';
import type { ThreadState } from '../core/state/thread-state.ts';
import { type NextRequest, previewRequest } from './thread/context/preview-request.ts';
import { type UnprovenClaims, provenState } from './thread/branch/unproven-lines.ts';
import type { EngineParts } from './engine-parts.ts';
import { type KeptSettings, prepareResumedThread } from './thread-setup/open-thread.ts';
import { type ThreadRequest, threadOptions } from './thread-request.ts';

/** The start of the next turn, and the claims in the file that no seal proves, which the turn leaves out. */
export type ForeseenRequest = NextRequest & { readonly unproven: UnprovenClaims };
/** Options of the foreseen resume. Absent: those of the newest turn. */
export type PreviewedResume = { readonly request?: ThreadRequest; readonly kept?: KeptSettings | undefined };

/** Arguments of `preview()`. A state is a fold of the library's own: only its kind is checked. */
export const previewArguments = {
  state: optionWhere<ThreadState>('the state of a thread', (given) => {
    const { meta, waiting } = (given ?? {}) as Partial<ThreadState>;
    return isJsonObject(meta) && Array.isArray(waiting);
  }),
  as: recordOption<PreviewedResume>('an object with request or kept', {
    request: { type: recordOption<ThreadRequest>('an object with options of resume()', threadOptions) },
    kept: { type: uncheckedOption<KeptSettings>('settings') },
  }),
};

/** Foresees resuming a thread now. Locks and writes nothing, so its writer is not disturbed. */
export async function previewThread(
  engine: EngineParts,
  id: ThreadId,
  state: ThreadState,
  { request = asBefore(state), kept }: PreviewedResume = {},
): Promise<ForeseenRequest | Outcome> {
  const agent = agentIdentityIn(state.meta);
  const prepared = await prepareResumedThread(engine, { id, state }, { ...request, ...defined({ agent }) }, kept);
  if ('code' in prepared) return prepared;
  const { state: counted, unproven } = await provenState(engine, id, state);
  return { ...(await previewRequest(prepared.parts, id, prepared.settings, counted)), unproven };
}

/** Assumes the surface of the last turn for the next one: if it could ask, it can; if not, it holds its policy. */
function asBefore({ envelope }: ThreadState): Pick<ThreadRequest, 'heldApprovals' | 'askUser'> {
  const origins = envelope && objectAt(objectAt(envelope, 'telemetry') ?? {}, 'origins');
  const policy = envelope && objectAt(envelope, 'policy');
  const isHeld =
    origins !== undefined && (stringAt(origins, 'approvals') ?? stringAt(origins, 'approval')) === 'surface';
  if (isHeld && policy !== undefined) return { heldApprovals: policy['approval'] as ApprovalPolicy };
  if (policy?.['canAsk'] !== true) return {};
  return { askUser: policy['answersOnce'] === true ? { ...nothingAsked, answersOnce: true } : nothingAsked };
}

/** A preview runs no call. */
const nothingAsked: AskUser = { ask: () => Promise.resolve({ kind: 'lapsed' }) };
