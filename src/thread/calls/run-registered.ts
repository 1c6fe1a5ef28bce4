import type { CallNeeds } from '../../policy/approval.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import type { CallResult } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';

/** Runs a call. While its command may write, also as a session, calls that are decided by what is on the disk know of it. */
export async function runRegistered(
  { parts }: Pick<Turn, 'parts'>,
  {
    needs,
    policy,
    mayWrite,
  }: { readonly needs: CallNeeds; readonly policy: ResolvedPolicy; readonly mayWrite: boolean },
  run: () => Promise<CallResult>,
): Promise<CallResult> {
  const running = mayWrite && needs.effect === 'program' ? parts.ground?.begin(policy) : undefined;
  if (running === undefined) return run();
  let isOver = true;
  try {
    const end = await run();
    const { session } = end.session ?? {};
    if (session !== undefined) {
      isOver = false;
      running.runsOn(session.id);
      void session.ended.then(() => running.ended());
    }
    return end;
  } finally {
    if (isOver) running.ended();
  }
}
