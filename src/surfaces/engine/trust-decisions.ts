import type { Outcome } from '../../protocol/outcome.ts';
import type { ConfiguredHook } from './configured-hooks.ts';
import type { EngineParts } from './engine-parts.ts';
import type { FolderTrust } from './folder-trust.ts';

/** What the user has decided about projects and hooks. A decision holds for the next engine that is loaded. */
export class TrustDecisions {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** What the user decided about the project around a folder, and what a decision would change. */
  async ofFolder(folder: string): Promise<FolderTrust> {
    const { folderTrust } = await import('./folder-trust.ts');
    return folderTrust(this.#parts, folder);
  }

  /** Saves a decision for the next engine that is loaded. Gives why it could not. */
  async decideFolder(
    about: Pick<FolderTrust, 'root'> & Partial<Pick<FolderTrust, 'seen'>>,
    decision: 'trusted' | 'untrusted',
  ): Promise<Outcome | undefined> {
    const { decideFolderTrust } = await import('./folder-trust.ts');
    return decideFolderTrust(this.#parts, about, decision);
  }

  /** Hooks of a folder about which the user has to decide before they run. */
  async idleHooks(folder: string): Promise<readonly ConfiguredHook[]> {
    const { idleHooks } = await import('./idle-hooks.ts');
    return idleHooks(this.#parts, folder);
  }

  /** Saves a decision about hooks for the next engine that is loaded. Gives why it could not. */
  async decideHooks(hooks: readonly ConfiguredHook[], decision: 'trust' | 'untrust'): Promise<Outcome | undefined> {
    const { decideHooks } = await import('./configured-hooks.ts');
    const { base, locks, clock } = this.#parts;
    return decideHooks({ home: base.home, locks, clock }, hooks, decision);
  }
}
