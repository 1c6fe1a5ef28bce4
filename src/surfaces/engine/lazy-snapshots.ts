import type { Config } from '../../config/config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SnapshotContents } from '../../ports/snapshot-contents.ts';
import type { Snapshots } from '../../ports/snapshots.ts';
import type { Variables } from '../../protocol/variables.ts';

export interface SnapshotsInput {
  readonly env: Variables;
  readonly osHome: string;
  readonly home: string;
  readonly contents: SnapshotContents;
  readonly config: Pick<Config, 'undo'>;
  readonly clock: Clock;
}

/** Snapshots whose code is loaded when the first one is wanted: by then the first request is on its way. */
export function lazySnapshots({ env, osHome, home, contents, config, clock }: SnapshotsInput): Snapshots {
  const made = lazy(async () => {
    const [{ WorkspaceSnapshots }, { nodeWorkspaceDisk: disk }] = await Promise.all([
      import('../../workspace/workspace-snapshots.ts'),
      import('../../workspace/node-workspace-disk.ts'),
    ]);
    return new WorkspaceSnapshots({ env, osHome, home }, { clock, disk, contents }, config.undo);
  });
  return { take: async (request, signal) => (await made()).take(request, signal) };
}

function lazy<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
