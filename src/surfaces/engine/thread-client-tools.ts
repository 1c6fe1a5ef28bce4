import type { Settings } from '../../envelope/settings.ts';
import type { ShowPicture } from '../../fragments/answers/content-parts.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadParts } from '../../thread/parts/parts.ts';
import type { Tool } from '../../tools/define.ts';
import { nameClash } from '../../tools/own-tool.ts';
import type { Router, ToolSource, ToolView } from '../../tools/router.ts';
import type { ClientToolSet } from './client-tool-set.ts';
import type { CatalogueOf } from './settings-window.ts';

/** The tools that a client defined for a thread. They may change from turn to turn; most threads have none. */
export interface ThreadClientTools extends Required<Pick<ThreadParts, 'beforeTurn' | 'release'>> {
  readonly source: ToolSource;
  /** Those that are found by searching. The same array until they change. */
  readonly deferred: () => readonly Tool[];
  /** What those in the list weigh. */
  directTokens(): number;
  /** Why settings cannot have the tools that they name. */
  problem(settings: Settings, router: Pick<Router, 'tools'>): Outcome | undefined;
}

const none: ClientToolSet = { tools: [], deferred: [], announced: () => [], tokens: 0 };

export interface ClientToolsOptions {
  readonly catalogueOf: CatalogueOf;
  /** Another source has the tools that find deferred ones. */
  readonly searchesElsewhere: boolean;
  /** What direct tools of other sources take of the share that optional tools have, in tokens. */
  besides(): number;
  /** Tools of the program. Those that are deferred are found by the same search. */
  readonly ownTools: readonly Tool[];
  /** Gives a picture as models take it. */
  readonly picture: ShowPicture;
}

export async function openClientTools(settings: Settings, options: ClientToolsOptions): Promise<ThreadClientTools> {
  const ownDeferred = options.ownTools.filter(({ deferred }) => deferred === true);
  let made = none;
  let madeFor: Pick<Settings, 'clientTools' | 'model' | 'window'> | undefined;
  const beforeTurn = async (now: Settings): Promise<void> => {
    const { clientTools = [] } = now;
    if (clientTools.length === 0 && ownDeferred.length === 0) made = none;
    // Settings that are the same are the same object.
    else if (now !== madeFor) {
      const { clientToolSet } = await import('./client-tool-set.ts');
      const next = clientToolSet(now, { ...options, ownDeferred });
      made = next.digest === made.digest ? made : next;
    }
    madeFor = now;
  };
  await beforeTurn(settings);
  return {
    source: Object.assign((): readonly Tool[] => made.tools, {
      announced: ({ isChosen }: ToolView) => {
        const deferredTools = made.announced(isChosen);
        return deferredTools.length === 0 ? {} : { deferredTools };
      },
    }),
    deferred: () => made.deferred,
    directTokens: () => made.tokens,
    beforeTurn,
    release: () => Promise.resolve(),
    problem({ clientTools = [] }, { tools }) {
      if (clientTools.length === 0) return undefined;
      const others = tools.filter((tool) => !(made.tools as readonly unknown[]).includes(tool)).map(({ name }) => name);
      const names = clientTools.flatMap((each) =>
        each.type === 'function' ? [each.name] : each.tools.map(({ name }) => `${each.name}__${name}`),
      );
      return nameClash(names.filter((name) => others.includes(name)));
    },
  };
}
