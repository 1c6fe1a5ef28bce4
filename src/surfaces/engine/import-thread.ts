import { type ImportedRollout, type ImportProblem, importRollout } from '../../rollout/import-rollout.ts';
import { localTime } from '../../rollout/names.ts';
import type { HomeStore } from './home-store.ts';

/** Copies a rollout from elsewhere into the home. */
export function importThread({ disk, ids }: HomeStore, source: string): Promise<ImportedRollout | ImportProblem> {
  const { files, home } = disk;
  return importRollout(source, { files, home, localTime, ids });
}
