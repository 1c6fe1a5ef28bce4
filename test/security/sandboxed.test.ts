import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import { createEmptyMountPoints } from '../../src/adapters/sandbox/linux/mount-points.ts';
import { mountRegistryFolders } from '../../src/adapters/sandbox/linux/mount-registry.ts';
import { createSandboxed, sandboxIsPossible, users } from './sandboxed.ts';

test.skipIf(!sandboxIsPossible).each(users)(
  'sandboxes of these suites, as user %d, leave the folders that an engine mounts on',
  (user) => {
    const sandboxed = createSandboxed();
    const cwd = mkdtempSync('/tmp/capstan-beside-');
    const engine = createEmptyMountPoints({
      registries: mountRegistryFolders(),
      processes: processTable,
      temporaryDirectories: [],
      lingerMs: 0,
    });
    const hold = engine.hold(['/tmp/.agents']);
    onTestFinished(() => {
      hold.release();
      sandboxed.remove();
      rmSync(cwd, { recursive: true });
    });
    mkdirSync('/tmp/.agents', { recursive: true });
    const { ino } = statSync('/tmp/.agents');
    const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
    const places = { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
    const policy = resolvePolicy(builtInProfile('workspace-write', options), places);
    expect(sandboxed.run(policy, 'mkdir /tmp/.agents/x 2>/dev/null || echo kept', { user, cwd: '/tmp' })).toBe(
      'kept\n',
    );
    expect(statSync('/tmp/.agents').ino).toBe(ino);
  },
);
