import type { Envelope } from '../../envelope/envelope.ts';
import { access } from '../../policy/access.ts';
import { narrowerApproval, narrowerProfile } from '../../policy/narrower.ts';
import { profileFor } from '../../policy/profiles.ts';
import type { ThreadRefused, Threads, WantedThread } from '../../ports/threads.ts';

/**
 * The threads of the engine, for one call: a thread that the call opens may do what the turn of the call may, or less,
 * and works in the turn's folder unless another is asked for. Settings that grant more are refused.
 */
export function heldThreads(threads: Threads, envelope: Envelope): Threads {
  return {
    get open() {
      return threads.open;
    },
    async start(wanted) {
      const held = heldBy(envelope, wanted);
      return 'kind' in held ? held : threads.start(held);
    },
    async resume(id, wanted) {
      const held = heldBy(envelope, wanted);
      return 'kind' in held ? held : threads.resume(id, held);
    },
    async fork(id, cut, wanted) {
      const held = heldBy(envelope, wanted);
      return 'kind' in held ? held : threads.fork(id, cut, held);
    },
  };
}

function heldBy(envelope: Envelope, wanted: WantedThread): (WantedThread & { readonly cwd: string }) | ThreadRefused {
  const { policy, workspace } = envelope;
  const { cwd = workspace.cwd, approval = policy.approval, permissionProfile = policy.profile } = wanted;
  const isWider =
    narrowerApproval(policy.approval, approval) !== approval ||
    narrowerProfile(policy.profile, permissionProfile, workspace.places) !== permissionProfile;
  if (isWider) return refused('asks for more than the turn that opens it may do');
  if (access(policy.resolved, cwd) === 'write') return { ...wanted, cwd, approval, permissionProfile };
  // A profile goes by its folder: in one that the caller may not write, the same profile would grant more.
  const isReadable = narrowerProfile(policy.profile, readOnly, workspace.places) === readOnly;
  if (isReadable) return { ...wanted, cwd, approval, permissionProfile: readOnly };
  return refused(`would work in ${cwd}, where the turn that opens it may not write`);
}

const readOnly = profileFor('read-only', {
  network: false,
  writableRoots: [],
  excludeTmpdir: true,
  excludeSlashTmp: true,
});

function refused(why: string): ThreadRefused {
  return {
    kind: 'refused',
    outcome: {
      code: 'wider-than-caller',
      message: `The thread ${why}.`,
      next: 'Ask for the same settings or narrower ones, or change those of the calling thread.',
    },
  };
}
