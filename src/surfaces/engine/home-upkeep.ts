import type { Ids } from '../../ports/ids.ts';
import type { ListProgress } from '../../ports/thread-directory.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Collected } from '../../rollout/collect/collect.ts';
import { type CollectOptions, graceMs } from '../../rollout/collect/collect-options.ts';
import type { CompressReport, ToCompress } from '../../rollout/collect/compressed-threads.ts';
import { openThreadIndex } from '../../rollout/index/open-index.ts';
import type { ImportedRollout, ImportProblem } from '../../rollout/import-rollout.ts';
import { localTime } from '../../rollout/find/names.ts';
import type { RolloutStoreOptions } from '../../rollout/store.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';

interface HomeFiles extends RolloutStoreOptions {
  readonly ids: Ids;
}

/** What is done to the files of a home apart from what its threads do. Each part is loaded on use. */
export class HomeUpkeep {
  readonly #disk: HomeFiles;

  constructor(disk: HomeFiles) {
    this.#disk = disk;
  }

  async reindex(options: { readonly anew: boolean }, progress?: ListProgress): Promise<{ readonly threads: number }> {
    return (await openThreadIndex(this.#disk)).refresh(options, progress);
  }

  async takeReading(): Promise<boolean> {
    return (await openThreadIndex(this.#disk)).takeReading();
  }

  async compress(which: ToCompress, options: { readonly dryRun: boolean }): Promise<CompressReport | EngineRefused> {
    const { compressThreads } = await import('../../rollout/collect/compressed-threads.ts');
    const report = await compressThreads(this.#disk, which, options);
    return 'code' in report ? engineRefused(report) : report;
  }

  async importFile(source: string): Promise<ImportedRollout | ImportProblem> {
    const { importRollout } = await import('../../rollout/import-rollout.ts');
    const { files, home, ids } = this.#disk;
    return importRollout(source, { files, home, localTime, ids });
  }

  /** Removes what no thread refers to, of what threads keep beside their lines and of snapshots. */
  async collect(options: Pick<CollectOptions, 'dryRun' | 'reverted' | 'maxBlobBytes'>): Promise<Collected> {
    const { collect } = await import('../../rollout/collect/collect.ts');
    const { collectSnapshots } = await import('../../workspace/collect.ts');
    const { home, clock } = this.#disk;
    const young = { now: clock.now(), graceMs };
    return collect({
      ...this.#disk,
      ...options,
      collectSnapshots: (trees) => collectSnapshots(home, trees, young),
    });
  }
}

export const notTheHome: Outcome<'not-the-home'> = {
  code: 'not-the-home',
  message: 'The threads of this engine are not files of the home.',
  next: 'Use the means of the store that the engine was given.',
};
