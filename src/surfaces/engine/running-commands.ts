import { needsSandbox, writablePaths } from '../../policy/access.ts';
import type { WritingCommand } from '../../policy/command-ground.ts';
import { isWithin } from '../../policy/paths.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';

interface Running {
  readonly thread: object;
  readonly policy: ResolvedPolicy;
  session: number | undefined;
}

/** The commands of all threads of an engine that run in a sandbox and may write. */
export class RunningCommands {
  readonly #running = new Set<Running>();

  /** `thread`: whose it is. */
  begin(thread: object, policy: ResolvedPolicy): WritingCommand {
    const own: Running = { thread, policy, session: undefined };
    // What left the sandbox needs no help of others to run programs there.
    if (needsSandbox(policy)) this.#running.add(own);
    return {
      runsOn: (session) => void (own.session = session),
      ended: () => void this.#running.delete(own),
    };
  }

  /** Those that may write there, for people. Calls of the same thread are in the order of their step; its sessions are not. */
  beside(thread: object, folder: string): string | undefined {
    const found = [...this.#running].filter(
      (each) => (each.thread !== thread || each.session !== undefined) && mayWriteIn(each.policy, folder),
    );
    const names = found.map((each) => (each.thread === thread ? `session ${each.session}` : 'one of another thread'));
    return names.length === 0 ? undefined : [...new Set(names)].toSorted().join(', ');
  }
}

function mayWriteIn(policy: ResolvedPolicy, folder: string): boolean {
  if (policy.files.kind === 'unrestricted') return true;
  return writablePaths(policy).some((path) => isWithin(path, folder) || isWithin(folder, path));
}
