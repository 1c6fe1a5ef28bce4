import { stringOption, booleanOption, type OptionType, readOptions } from '../../core/envelope/read-options.ts';
import type { WorkProgress } from '../../ports/thread-store.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { RemovalOptions } from '../../adapters/rollout/maintenance/remove-unreferenced.ts';
import type { CompressReport, ToCompress } from '../../adapters/rollout/maintenance/compress-threads.ts';
import { localTime } from '../../adapters/rollout/files/rollout-paths.ts';
import { openThreadIndex } from '../../adapters/rollout/index/open-thread-index.ts';
import type { RolloutStoreOptions } from '../../adapters/rollout/store/rollout-store.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import { argumentProblem, progressFunctionOption, threadIdOption } from '../check-arguments.ts';
import type { HomeStore } from './home-store.ts';

const flag = { type: booleanOption, required: true } as const;

const toCompress: OptionType<ToCompress> = {
  expected: '{ kind: "thread", id } or { kind: "older", milliseconds }',
  read(given) {
    const { kind, id, milliseconds, ...others } = (given ?? {}) as Readonly<Record<string, unknown>>;
    if (Object.keys(others).length > 0) return undefined;
    if (kind === 'thread' && milliseconds === undefined && threadIdOption.read(id) !== undefined)
      return given as ToCompress;
    const isAge = typeof milliseconds === 'number' && milliseconds >= 0;
    return kind === 'older' && id === undefined && isAge ? (given as ToCompress) : undefined;
  },
};

/** Operations on the files of a home, of all threads or of none. Refused if the store is not the home's. */
export class HomeFiles {
  readonly #kept: HomeStore;

  constructor(kept: HomeStore) {
    this.#kept = kept;
  }

  /** Brings the index up to date with all files. `anew`: from nothing. */
  reindex(options: { readonly anew: boolean }, progress?: WorkProgress) {
    const problem = argumentProblem('reindex()', { progress: [progressFunctionOption, progress, 'absent'] });
    const read = problem ?? readOptions<typeof options>(options, { anew: flag }, 'reindex()');
    return this.#withFiles(async (files) =>
      'code' in read ? engineRefused(read) : (await openThreadIndex(files)).refresh(read, progress),
    );
  }

  /** Returns the home if its index should be updated before a command waits for it, and no process does so already. */
  async takeReading(): Promise<string | undefined> {
    const taken = await this.#withFiles(async (files) => (await openThreadIndex(files)).takeReading());
    return taken === true ? this.#kept.home : undefined;
  }

  /** Copies a rollout from elsewhere into the home. Progress is in bytes. */
  importFile(source: string, progress?: WorkProgress) {
    const of = { source: [stringOption, source], progress: [progressFunctionOption, progress, 'absent'] } as const;
    const problem = argumentProblem('importFile()', of);
    return this.#withFiles(async ({ files, home }) => {
      if (problem !== undefined) return engineRefused(problem);
      const { importRollout } = await import('../../adapters/rollout/maintenance/import-rollout.ts');
      return importRollout(source, { files, home, localTime, ids: this.#kept.ids, progress });
    });
  }

  /** Packs rollouts that no program wrote to for a while. They stay readable, and resuming unpacks them. */
  compress(
    which: ToCompress,
    options: { readonly dryRun: boolean },
    progress?: WorkProgress,
  ): Promise<CompressReport | EngineRefused> {
    const of = { which: [toCompress, which], progress: [progressFunctionOption, progress, 'absent'] } as const;
    const problem = argumentProblem('compress()', of);
    const read = problem ?? readOptions<typeof options>(options, { dryRun: flag }, 'compress()');
    return this.#withFiles(async (files) => {
      if ('code' in read) return engineRefused(read);
      const { compressThreads } = await import('../../adapters/rollout/maintenance/compress-threads.ts');
      const report = await compressThreads(files, which, { ...read, progress });
      return 'code' in report ? engineRefused(report) : report;
    });
  }

  /** Removes unreferenced data that threads keep beside their lines, and unreferenced snapshots. */
  collect(options: Pick<RemovalOptions, 'dryRun' | 'reverted'>, progress?: WorkProgress) {
    const problem = argumentProblem('collect()', { progress: [progressFunctionOption, progress, 'absent'] });
    const read = problem ?? readOptions<typeof options>(options, { dryRun: flag, reverted: flag }, 'collect()');
    return this.#withFiles(async (files) => {
      if ('code' in read) return engineRefused(read);
      const rollouts = await import('../../adapters/rollout/maintenance/remove-unreferenced.ts');
      const { removeUnusedSnapshots } = await import('../undo/content-store.ts');
      const young = { now: files.clock.now(), graceMs: rollouts.removalGraceMs };
      return rollouts.removeUnreferenced({
        ...files,
        ...read,
        progress,
        maxBlobBytes: this.#kept.maxBlobBytes,
        collectSnapshots: (trees) => removeUnusedSnapshots(files.home, trees, young),
      });
    });
  }

  async #withFiles<Result>(work: (files: RolloutStoreOptions) => Promise<Result>): Promise<Result | EngineRefused> {
    return this.#kept.disk === undefined ? engineRefused(notTheHome) : work(this.#kept.disk);
  }
}

const notTheHome: Outcome<'not-the-home'> = {
  code: 'not-the-home',
  message: 'The threads of this engine are not files in the home folder.',
  next: 'Use the store that you gave to the engine.',
};
