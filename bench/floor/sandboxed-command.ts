import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import type { PlainCommand, RunnableCommand } from '../../src/ports/sandbox.ts';
import { engineSandbox } from '../sandbox/engine-sandbox.ts';

/** The command inside the very sandbox that Capstan puts it into. Undefined where there is none. */
export async function sandboxedCommand(command: PlainCommand): Promise<RunnableCommand | undefined> {
  const { sandbox } = engineSandbox({
    env: command.env,
    writable: [command.cwd],
    runFolder: '/nowhere',
    lingerMs: 0,
  });
  const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
  const policy = resolvePolicy(builtInProfile('workspace-write', options), {
    cwd: command.cwd,
    workspaceRoots: [command.cwd],
    slashTmp: true,
    gitDirectories: [],
    own: noOwnPlaces,
  });
  const planned = await sandbox.plan(command, policy, []);
  return planned.kind === 'runnable' ? planned : undefined;
}
