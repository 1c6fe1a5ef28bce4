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
  const held = async <Opened>(wanted: WantedThread, open: (narrowed: Narrowed) => Promise<Opened>) => {
    const narrowed = heldBy(envelope, wanted);
    return 'kind' in narrowed ? narrowed : open(narrowed);
  };
  return {
    get open() {
      return threads.open;
    },
    start: (wanted) => held(wanted, (narrowed) => threads.start(narrowed)),
    resume: (id, wanted) => held(wanted, (narrowed) => threads.resume(id, narrowed)),
    fork: (id, cut, wanted) => held(wanted, (narrowed) => threads.fork(id, cut, narrowed)),
  };
}

type Narrowed = WantedThread & { readonly cwd: string };

function heldBy(envelope: Envelope, wanted: WantedThread): Narrowed | ThreadRefused {
  const { policy, workspace } = envelope;
  const { cwd = workspace.cwd, approval = policy.approval, permissionProfile = policy.profile } = wanted;
  const isWider =
    narrowerApproval(policy.approval, approval) !== approval ||
    narrowerProfile(policy.profile, permissionProfile, workspace.places) !== permissionProfile;
  if (isWider) return refused('asks for more permissions than the turn that opens it has');
  if (access(policy.resolved, cwd) === 'write') return { ...wanted, cwd, approval, permissionProfile };
  // A profile goes by its folder: in one that the caller may not write, the same profile would grant more.
  const isReadable = narrowerProfile(policy.profile, readOnly, workspace.places) === readOnly;
  if (isReadable) return { ...wanted, cwd, approval, permissionProfile: readOnly };
  return refused(`would work in ${cwd}, where the turn that opens it cannot write`);
}

const readOnly = profileFor('read-only', {
  network: false,
  writableRoots: [],
  excludeTmpdir: true,
  excludeSlashTmp: true,
});

function refused(why: string): ThreadRefused {
  const next = 'Ask for the same or narrower settings, or change the settings of the calling thread.';
  return { kind: 'refused', outcome: { code: 'wider-than-caller', message: `The thread ${why}.`, next } };
}
