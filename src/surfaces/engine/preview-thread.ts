import { objectAt, stringAt } from '../../protocol/json.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy } from '../../protocol/permission-profile.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { type NextRequest, previewRequest } from '../../thread/preview.ts';
import type { EngineParts } from './engine-parts.ts';
import { prepareToGoOn } from './prepare-thread.ts';

/** What a thread would be resumed with now. Nothing is locked or written: its writer is not disturbed. */
export async function previewThread(
  engine: EngineParts,
  id: ThreadId,
  state: ThreadState,
): Promise<NextRequest | Outcome> {
  const prepared = await prepareToGoOn(engine, { id, state }, heldApproval(state));
  return 'code' in prepared ? prepared : previewRequest(prepared.parts, id, prepared.settings, state);
}

/** A surface that cannot ask holds its policy whatever the thread has: the next turn is asked from the same one. */
function heldApproval({ envelope }: ThreadState): { readonly approval?: ApprovalPolicy } {
  const origins = envelope && objectAt(objectAt(envelope, 'telemetry') ?? {}, 'origins');
  const policy = envelope && objectAt(envelope, 'policy');
  const isHeld = origins !== undefined && stringAt(origins, 'approval') === 'surface';
  return isHeld && policy !== undefined ? { approval: policy['approval'] as ApprovalPolicy } : {};
}
