import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { ProcessEnd, Spawn } from '../../ports/spawn.ts';
import { type Bubblewrap, bubblewrapArguments, mountOptions, ownProcesses } from './bubblewrap.ts';

const limits = { timeoutMs: 5000, outputBytes: 16_384 };

/**
 * Builds a small sandbox with everything a real one uses and runs bubblewrap itself in it: one process shows whether
 * the program is recent enough and whether the kernel lets it work. Only when that fails is it tried with less.
 */
export async function probeBubblewrap(path: string, spawn: Spawn): Promise<Bubblewrap | SandboxRefused> {
  let bubblewrap: Bubblewrap = { kind: 'bubblewrap', path, closesUserNamespaces: true, ownProcessTable: true };
  // Each round gives up one ability, so there are at most three.
  for (;;) {
    const end = await tryOut(bubblewrap, spawn);
    // A machine under load proves nothing: the real command will show.
    if (end.kind === 'timed-out' || end.kind === 'aborted') return bubblewrap;
    if (end.kind === 'exited' && end.exitCode === 0) return bubblewrap;
    const said = end.kind === 'exited' ? end.output.text.trim() : end.reason;
    if (bubblewrap.closesUserNamespaces && /--disable-userns|max_user_namespaces/.test(said)) {
      bubblewrap = { ...bubblewrap, closesUserNamespaces: false };
    } else if (bubblewrap.ownProcessTable && /mount proc|newroot\/proc/i.test(said)) {
      bubblewrap = { ...bubblewrap, ownProcessTable: false };
    } else {
      return refusal(path, said);
    }
  }
}

function tryOut(bubblewrap: Bubblewrap, spawn: Spawn): Promise<ProcessEnd> {
  const { path } = bubblewrap;
  const mounts = [
    ...mountOptions('/', { kind: 'read-only' }),
    '--dev',
    '/dev',
    ...(bubblewrap.ownProcessTable ? ownProcesses : []),
    ...mountOptions('/dev/shm', { kind: 'empty-folder', mode: '555' }),
    '--remount-ro',
    '/dev/shm',
  ];
  const argv = bubblewrapArguments({ bubblewrap, mounts, network: 'restricted', cwd: '/', argv: [path, '--version'] });
  const env = { LC_ALL: 'C' };
  const { signal } = new AbortController();
  return spawn.run({ kind: 'runnable', argv, cwd: '/', env, files: [], cleanup: async () => {} }, limits, { signal });
}

function refusal(path: string, said: string): SandboxRefused {
  const program = JSON.stringify(path);
  const reason = said.split('\n').at(-1) ?? '';
  if (/unknown option/i.test(said)) {
    const message = `${program} is too old to build the sandbox (${reason}).`;
    const next = 'Install bubblewrap 0.5 or later, or set CAPSTAN_BWRAP to the path of one.';
    return { kind: 'refused', code: 'sandbox-missing', message, next };
  }
  const message = `${program} cannot build a sandbox on this system (${reason}).`;
  const isForbidden = /namespace|uid map|RTM_NEW|not permitted|permission denied/i.test(said);
  return { kind: 'refused', code: 'sandbox-unusable', message, next: isForbidden ? namespaceAdvice : otherAdvice };
}

const namespaceAdvice =
  'The system keeps this user from making namespaces. On Ubuntu 23.10 and later, AppArmor has to allow it: install ' +
  'the package "bubblewrap" and a profile for it, or run `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`. ' +
  'Elsewhere, check `sysctl user.max_user_namespaces kernel.unprivileged_userns_clone`; a container must be started so ' +
  'that it may make user namespaces. If this machine is itself a sandbox, choose the mode danger-full-access.';

const otherAdvice = 'Run the program by hand to see what it lacks, or set CAPSTAN_BWRAP to another one.';
