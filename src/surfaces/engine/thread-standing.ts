import type { ThreadId } from '../../protocol/ids.ts';
import { grantingLine, type LastSettings, withoutStart } from '../../state/resumed-settings.ts';
import { grantsIn, importOf } from '../../state/sealed-lines.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { isOurs, type ProvingParts } from '../../thread/branch/own-lines.ts';

/**
 * Who says what a thread may do. `ours`: this home's engine wrote it. `foreign`: another program did, or nothing proves
 * who. `imported`: the same, in a file that was brought here.
 */
export type Standing = 'ours' | 'foreign' | 'imported';

/** What a resumed thread had, and who says so. */
export interface ResumedPast {
  readonly id: ThreadId;
  readonly last: LastSettings;
  readonly standing: Standing;
}

/** What the thread was given at its start counts only if the line that says it is ours, which later turns do not prove. */
export async function provenStart(
  parts: ProvingParts,
  id: ThreadId,
  { meta, settings }: Pick<ThreadState, 'meta' | 'settings'>,
  last: LastSettings,
): Promise<LastSettings> {
  const said = settings === undefined ? undefined : grantsIn(settings);
  return said !== undefined && (await isOurs(parts, { id, meta }, said)) ? last : withoutStart(last);
}

export async function standingOf(parts: ProvingParts, id: ThreadId, state: ThreadState): Promise<Standing> {
  const { meta } = state;
  const line = grantingLine(state);
  const said = line === undefined ? undefined : grantsIn(line);
  if (said !== undefined && (await isOurs(parts, { id, meta }, said))) return 'ours';
  return importOf(meta) === undefined ? 'foreign' : 'imported';
}
