import { badArguments } from '../../fragments/answers/call-answers.ts';
import type { ProviderCapabilities } from '../../ports/provider.ts';
import type { Tool } from '../define.ts';
import { type ApplyPatchPorts, preparePatch } from './prepare-patch.ts';
import { patchSpecFor } from './patch-form.ts';
import { readPatchInput } from './read-patch-input.ts';

/** Edits files by patches, in this process and within the turn's policy. Calls of both forms are always taken. */
export function applyPatchTool(ports: ApplyPatchPorts, provider: Pick<ProviderCapabilities, 'freeformTools'>): Tool {
  return {
    name: 'apply_patch',
    effect: 'files',
    offeredIn: ({ mode, editTools }) => mode !== 'plan' && editTools === 'patch',
    spec: patchSpecFor(provider),
    prepare({ callId, input }, step) {
      const text = readPatchInput(input);
      if (text === undefined) return { kind: 'refused', output: badArguments('`input` must be the patch, a string.') };
      return preparePatch(ports, { callId, text, folder: step.envelope.workspace.cwd, cameAs: 'tool' }, step);
    },
  };
}
