import { join } from 'node:path';
import { nodeProgramFiles } from '../../src/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/exec/node-spawn.ts';
import { processTable } from '../../src/exec/processes/process-identity.ts';
import { systemClock } from '../../src/gather/system/system-clock.ts';
import { profileFor } from '../../src/policy/profiles.ts';
import { resolvePolicy } from '../../src/policy/resolve-policy.ts';
import type { PlainCommand, RunnableCommand } from '../../src/ports/sandbox.ts';
import { mountRegistryFolders } from '../../src/sandbox/linux/mount-registry.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { noOwnPlaces } from '../../src/policy/own-places.ts';

/** The command inside the very sandbox that Capstan puts it into. Undefined where there is none. */
export async function sandboxedCommand(command: PlainCommand): Promise<RunnableCommand | undefined> {
  const sandbox = createSandbox({
    platform: process.platform,
    architecture: process.arch,
    env: command.env,
    writable: () => [command.cwd],
    packagedBubblewrap: join(import.meta.dirname, '../../.local/bubblewrap/usr/bin/bwrap'),
    mountRegistries: mountRegistryFolders,
    spawn: createNodeSpawn({ clock: systemClock, runFolder: '/nowhere' }),
    programFiles: nodeProgramFiles,
    processes: processTable,
  });
  const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
  const policy = resolvePolicy(profileFor('workspace-write', options), {
    cwd: command.cwd,
    workspaceRoots: [command.cwd],
    slashTmp: true,
    gitDirectories: [],
    own: noOwnPlaces,
  });
  const planned = await sandbox.plan(command, policy, []);
  return planned.kind === 'runnable' ? planned : undefined;
}
