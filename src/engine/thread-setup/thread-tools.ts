import { loadImage } from '../../adapters/gather/files/load-image.ts';
import { readGuard } from '../../adapters/gather/files/read-guard.ts';
import { applyPatchTool } from '../../adapters/tools/apply-patch/apply-patch-tool.ts';
import type { ApplyPatchPorts } from '../../adapters/tools/apply-patch/prepare-patch.ts';
import {
  contextRemainingTool,
  currentTimeTool,
  newContextTool,
  sleepTool,
} from '../../adapters/tools/clock-and-context-tools.ts';
import { type ExecCommandPorts, execCommandTool } from '../../adapters/tools/exec-command.ts';
import { imageGenerationTool, webSearchTools } from '../../adapters/tools/hosted-tools.ts';
import { toolNameClash } from '../../adapters/tools/own-tool.ts';
import { requestPermissionsTool } from '../../adapters/tools/request-permissions.ts';
import { requestUserInputTool, updatePlanTool } from '../../adapters/tools/question-and-plan-tools.ts';
import type { ToolRouter, ToolFilter } from '../../adapters/tools/router.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { viewImageTool } from '../../adapters/tools/view-image.ts';
import { writeStdinTool } from '../../adapters/tools/write-stdin.ts';
import { type Catalogue, lookUpModel } from '../../core/envelope/model-record.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import type { PreparePicture } from '../../core/fragments/answers/content-parts.ts';
import type { CommandSessions } from '../../ports/commands.ts';
import type { ProviderCapabilities } from '../../ports/model.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { CatalogueOf } from '../models/settings-window.ts';
import type { ClientToolSet } from './client-tool-set.ts';
import type { ConfiguredThread } from './configure-thread.ts';

interface ToolParts extends Pick<ConfiguredThread, 'config'> {
  readonly cwd: string;
  readonly patches: ApplyPatchPorts;
  readonly exec: ExecCommandPorts & { readonly sessions: CommandSessions };
  readonly capabilities: Pick<ProviderCapabilities, 'freeformTools'>;
  readonly isAgent: boolean;
}

/** The tools of every thread, in the order in which requests list them. */
export function builtInTools(
  { clock, base: { requirements }, resizeImage: resize }: EngineParts,
  { config, cwd, patches, exec, capabilities, isAgent }: ToolParts,
): readonly Tool[] {
  return [
    execCommandTool(exec),
    writeStdinTool({ sessions: exec.sessions }),
    updatePlanTool(),
    currentTimeTool({ clock }),
    sleepTool({ clock }),
    contextRemainingTool(),
    newContextTool(),
    requestPermissionsTool(patches),
    // An agent does not have this tool: it asks its parent in its answer.
    ...(isAgent ? [] : [requestUserInputTool()]),
    applyPatchTool(patches, capabilities),
    ...webSearchTools({ wanted: config.webSearch ?? 'disabled', allowed: requirements.webSearchModes }),
    imageGenerationTool(),
    viewImageTool({
      loadImage: (path, { policy, signal }) =>
        loadImage(path, cwd, { denies: readGuard(policy).deniesModel, resize, signal }),
    }),
  ];
}

/** Loaded when a model first needs them. `taken`: names of tools of the program, which take precedence. */
export function lazyEditTools(engine: EngineParts, patches: ApplyPatchPorts, taken: ReadonlySet<string>) {
  let tools: readonly Tool[] = [];
  return {
    /** Stays one array until they are loaded. */
    get tools() {
      return tools;
    },
    async loadFor({ editTools: chosen, model }: Settings, catalogue: Catalogue): Promise<void> {
      const wanted = chosen ?? lookUpModel(catalogue, model).editTools;
      if (wanted === 'patch' || tools.length > 0) return;
      const { editTools } = await import('./edit-tools.ts');
      tools = editTools(engine, patches).filter(({ name }) => !taken.has(name));
    },
  };
}

const none: ClientToolSet = { tools: [], deferred: [], announced: () => [], tokens: 0 };

export interface ClientToolsOptions {
  readonly catalogueOf: CatalogueOf;
  readonly searchesElsewhere: boolean;
  /** Tokens that direct tools of other sources take from the share of optional tools. */
  besides(): number;
  readonly ownTools: readonly Tool[];
  readonly picture: PreparePicture;
}

export async function openClientTools(settings: Settings, options: ClientToolsOptions) {
  const ownDeferred = options.ownTools.filter(({ deferred }) => deferred === true);
  let made = none;
  let madeFor: Pick<Settings, 'clientTools' | 'model' | 'window'> | undefined;
  const beforeTurn = async (now: Settings): Promise<void> => {
    const { clientTools = [] } = now;
    if (clientTools.length === 0 && ownDeferred.length === 0) made = none;
    // Equal settings are the same object.
    else if (now !== madeFor) {
      const { clientToolSet } = await import('./client-tool-set.ts');
      const next = clientToolSet(now, options, ownDeferred);
      made = next.digest === made.digest ? made : next;
    }
    madeFor = now;
  };
  await beforeTurn(settings);
  return {
    source: Object.assign((): readonly Tool[] => made.tools, {
      announced: ({ isChosen }: ToolFilter) => {
        const deferredTools = made.announced(isChosen);
        return deferredTools.length === 0 ? {} : { deferredTools };
      },
    }),
    /** Stays one array until they change. */
    deferred: () => made.deferred,
    directTokens: () => made.tokens,
    beforeTurn,
    problem({ clientTools = [] }: Settings, { tools }: Pick<ToolRouter, 'tools'>): Outcome | undefined {
      if (clientTools.length === 0) return undefined;
      const others = tools.filter((tool) => !(made.tools as readonly unknown[]).includes(tool)).map(({ name }) => name);
      const names = clientTools.flatMap((each) =>
        each.type === 'function' ? [each.name] : each.tools.map(({ name }) => `${each.name}__${name}`),
      );
      return toolNameClash(names.filter((name) => others.includes(name)));
    },
  };
}
