import type { Config } from '../../config/config.ts';
import { loadImage } from '../../gather/files/load-image.ts';
import { readGuard } from '../../gather/files/read-guard.ts';
import type { ProviderCapabilities } from '../../ports/provider.ts';
import type { Sessions } from '../../ports/sessions.ts';
import { defined } from '../../protocol/defined.ts';
import { applyPatchTool } from '../../tools/apply-patch/apply-patch.ts';
import type { ApplyPatchPorts } from '../../tools/apply-patch/prepare-patch.ts';
import { currentTimeTool, sleepTool } from '../../tools/clock/clock-tools.ts';
import { contextRemainingTool, newContextTool } from '../../tools/context-window/context-window-tools.ts';
import type { Tool } from '../../tools/define.ts';
import { type ExecCommandPorts, execCommandTool } from '../../tools/exec-command/exec-command.ts';
import { imageGenerationTool } from '../../tools/image-generation/image-generation.ts';
import { requestPermissionsTool } from '../../tools/request-permissions/request-permissions.ts';
import { requestUserInputTool } from '../../tools/request-user-input/request-user-input.ts';
import { updatePlanTool } from '../../tools/update-plan/update-plan.ts';
import { viewImageTool } from '../../tools/view-image/view-image.ts';
import { webSearchTools } from '../../tools/web-search/web-search.ts';
import { writeStdinTool } from '../../tools/write-stdin/write-stdin.ts';
import type { EngineParts } from './engine-parts.ts';

interface ToolParts {
  readonly config: Config;
  readonly cwd: string;
  readonly patches: ApplyPatchPorts;
  readonly exec: ExecCommandPorts & { readonly sessions: Sessions };
  /** Of the provider that answers. */
  readonly capabilities: Pick<ProviderCapabilities, 'freeformTools'>;
  /** The thread works for another one. */
  readonly isAgent: boolean;
}

/** The tools that every thread has, in the order in which requests list them. */
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
    // An agent asks its parent by its answer.
    ...(isAgent ? [] : [requestUserInputTool()]),
    applyPatchTool(patches, capabilities),
    ...webSearchTools({ wanted: config.webSearch ?? 'disabled', ...defined({ allowed: requirements.webSearchModes }) }),
    imageGenerationTool(),
    viewImageTool({
      loadImage: (path, { policy, signal }) =>
        loadImage(path, cwd, { denies: readGuard(policy).deniesModel, resize, signal }),
    }),
  ];
}
