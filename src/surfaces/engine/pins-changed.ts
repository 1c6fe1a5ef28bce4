import type { Outcome } from '../../protocol/outcome.ts';
import type { PinsChanged } from '../../thread/branch/pinned-notes.ts';
import { type EngineRefused, type Refusal, refusedBelow } from './engine-refused.ts';
import { unprovenNotice } from './unproven-notice.ts';

/** The notes of a thread after a change, and what of the file did not count. */
export function pinsChanged(
  done: PinsChanged | Refusal,
): (Omit<PinsChanged, 'unproven'> & { readonly notices: readonly Outcome[] }) | EngineRefused {
  if (done.kind === 'refused') return refusedBelow(done);
  const { unproven, ...changed } = done;
  const notice = unprovenNotice(done.id, unproven);
  return { ...changed, notices: notice === undefined ? [] : [notice] };
}
