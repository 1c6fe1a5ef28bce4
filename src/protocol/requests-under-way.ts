import { beforeAbort } from './before-abort.ts';
import type { Fitting } from './spending.ts';
import { addUsage, noUsage, type Usage } from './usage.ts';

/** What requests under way may cost. */
export interface UnderWay<Name> {
  /** Those of the threads that are wanted. */
  of(wanted: (by: Name) => boolean): Usage;
}

interface Entry<Name> {
  readonly by: Name;
  readonly most: Usage;
  readonly over: PromiseWithResolvers<void>;
}

/** Requests that share limits. Each holds back the most that it may cost until it is over. */
export class RequestsUnderWay<Name> {
  readonly #all = new Set<Entry<Name>>();

  /**
   * Decides whether a request may begin. One that fits only if others cost less than they may waits for them. Nothing
   * is waited for between a decision and its entry: no two requests are decided about by the same numbers.
   */
  async admit(
    by: Name,
    decide: (under: UnderWay<Name>) => Fitting,
    signal: AbortSignal,
  ): Promise<{ readonly fitting: Fitting; over(): boolean }> {
    for (;;) {
      const fitting = decide(this);
      if (fitting.kind === 'fits') {
        const entry = { by, most: fitting.most, over: Promise.withResolvers<void>() };
        this.#all.add(entry);
        return { fitting, over: () => this.#end(entry) };
      }
      const alone = this.#all.size === 0 ? fitting : decide({ of: () => noUsage });
      if (alone.kind !== 'fits' || signal.aborted)
        return { fitting: alone.kind === 'fits' ? fitting : alone, over: () => false };
      await beforeAbort(Promise.race([...this.#all].map((entry) => entry.over.promise)), signal, undefined);
    }
  }

  of(wanted: (by: Name) => boolean): Usage {
    let all = noUsage;
    for (const { by, most } of this.#all) if (wanted(by)) all = addUsage(all, most);
    return all;
  }

  #end(entry: Entry<Name>): boolean {
    entry.over.resolve();
    return this.#all.delete(entry);
  }
}
