import { type Catalogue, lookUpModel } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import type { ApplyPatchPorts } from '../../tools/apply-patch/prepare-patch.ts';
import type { Tool } from '../../tools/define.ts';
import type { EngineParts } from './engine-parts.ts';

/** Tools that are there once a model wants them. A thread may change its model between turns. */
export interface LazyEditTools {
  /** The same array until they come. */
  readonly tools: readonly Tool[];
  loadFor(settings: Settings, catalogue: Catalogue): Promise<void>;
}

/** `taken`: names of the program's own tools, which go before these. */
export function lazyEditTools(
  engine: EngineParts,
  patches: ApplyPatchPorts,
  taken: ReadonlySet<string>,
): LazyEditTools {
  let tools: readonly Tool[] = [];
  return {
    get tools() {
      return tools;
    },
    async loadFor({ editTools: chosen, model }, catalogue) {
      const wanted = chosen ?? lookUpModel(catalogue, model).editTools;
      if (wanted === 'patch' || tools.length > 0) return;
      const { editTools } = await import('./edit-tools.ts');
      tools = editTools(engine, patches).filter(({ name }) => !taken.has(name));
    },
  };
}
