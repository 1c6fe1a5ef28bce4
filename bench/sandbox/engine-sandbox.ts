import { join } from 'node:path';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import type { CommandSpawner } from '../../src/ports/commands.ts';
import { mountRegistryFolders } from '../../src/adapters/sandbox/linux/mount-registry.ts';
import { createSandbox } from '../../src/adapters/sandbox/sandbox.ts';

export interface EngineSandboxOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly writable: readonly string[];
  /** For the names of pipes. */
  readonly runFolder: string;
  /** Milliseconds for which folders that were mounted on stay for the next command. */
  readonly lingerMs: number;
}

/** Makes the parts that run commands and isolate them, as the engine does. */
export function engineSandbox({ env, writable, runFolder, lingerMs }: EngineSandboxOptions): {
  readonly spawn: CommandSpawner;
  readonly sandbox: Sandbox;
} {
  const spawn = createNodeSpawn({ clock: systemClock, runFolder });
  const sandbox = createSandbox({
    platform: process.platform,
    architecture: process.arch,
    env,
    writable: () => writable,
    packagedBubblewrap: join(import.meta.dirname, '../../.local/bubblewrap/usr/bin/bwrap'),
    mountRegistries: mountRegistryFolders,
    lingerMs,
    spawn,
    programFiles: nodeProgramFiles,
    processes: processTable,
  });
  return { spawn, sandbox };
}
