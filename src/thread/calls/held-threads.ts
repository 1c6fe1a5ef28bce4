import { anyText, flag, nameText, type OptionTable, readOptions } from '../../envelope/read-options.ts';
import type { Envelope } from '../../envelope/envelope.ts';
import { approvalOption, changeOptions, sandboxOption } from '../../envelope/override-fields.ts';
import { access } from '../../policy/access.ts';
import { narrowerApproval, narrowerProfile } from '../../policy/narrower.ts';
import { profileFor } from '../../policy/profiles.ts';
import { isWrong } from '../../policy/wrong-value.ts';
import type { ThreadRefused, Threads, WantedThread } from '../../ports/threads.ts';
import type { PermissionProfile } from '../../protocol/permission-profile.ts';

/**
 * The threads of the engine, for one call: a thread that the call opens may do what the turn of the call may, or less,
 * and works in the turn's folder unless another is asked for. Settings that grant more are refused.
 */
export function heldThreads(threads: Threads, envelope: Envelope): Threads {
  const held = async <Opened>(
    given: WantedThread,
    of: string,
    open: (narrowed: Narrowed) => Promise<Opened>,
  ): Promise<Opened | ThreadRefused> => {
    const wanted = readOptions<WantedThread>(given, wantedOptions, of);
    if ('code' in wanted) return { kind: 'refused', outcome: wanted };
    const narrowed = heldBy(envelope, wanted);
    return 'kind' in narrowed ? narrowed : open(narrowed);
  };
  return {
    get open() {
      return threads.open;
    },
    start: (wanted) => held(wanted, 'start()', (narrowed) => threads.start(narrowed)),
    resume: (id, wanted) => held(wanted, 'resume()', (narrowed) => threads.resume(id, narrowed)),
    fork: (id, cut, wanted) => held(wanted, 'fork()', (narrowed) => threads.fork(id, cut, narrowed)),
  };
}

type Narrowed = WantedThread & { readonly cwd: string };

function heldBy(envelope: Envelope, wanted: WantedThread): Narrowed | ThreadRefused {
  const { policy, workspace } = envelope;
  const { cwd = workspace.cwd, approvals = policy.approval } = wanted;
  const sandbox = profileWanted(wanted.sandbox) ?? policy.profile;
  const isWider =
    narrowerApproval(policy.approval, approvals) !== approvals ||
    narrowerProfile(policy.profile, sandbox, workspace.places) !== sandbox;
  if (isWider) return refused('asks for more permissions than the turn that opens it has');
  if (access(policy.resolved, cwd) === 'write') return { ...wanted, cwd, approvals, sandbox };
  // A profile goes by its folder: in one that the caller may not write, the same profile would grant more.
  const isReadable = narrowerProfile(policy.profile, readOnly, workspace.places) === readOnly;
  if (isReadable) return { ...wanted, cwd, approvals, sandbox: readOnly };
  return refused(`would work in ${cwd}, where the turn that opens it cannot write`);
}

const wantedOptions = {
  cwd: { type: anyText, about: 'Its folder, as an absolute path.' },
  model: { type: nameText, about: 'Its model.' },
  approvals: { type: approvalOption, about: 'When Capstan asks, while it is open.' },
  sandbox: { type: sandboxOption, about: 'What commands may access.' },
  ephemeral: { type: flag, about: 'Keeps nothing on disk.' },
} as const satisfies OptionTable<WantedThread>;

/** What was read is a word or a profile. */
function profileWanted(sandbox: WantedThread['sandbox']): PermissionProfile | undefined {
  const read = sandbox === undefined ? undefined : changeOptions.sandbox.type.read(sandbox);
  return isWrong(read) ? undefined : read;
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
