import type { ToolSpec } from '../../ports/prompt.ts';
import type { ProviderCapabilities } from '../../ports/provider.ts';
import { equalJson } from '../../protocol/json.ts';
import { applyPatchFunctionSpec, applyPatchSpec } from './spec.ts';

type ProviderForms = Pick<ProviderCapabilities, 'freeformTools'>;

/** The tool in the form that a provider takes. */
export function patchSpecFor({ freeformTools }: ProviderForms): ToolSpec {
  return freeformTools === 'grammar' ? applyPatchSpec : applyPatchFunctionSpec;
}

/** A tool of the past in the form that a provider takes. Any other than this one stays as it is. */
export function inPatchForm(spec: ToolSpec, provider: ProviderForms): ToolSpec {
  const isFreeform = spec['type'] === 'custom' && spec['name'] === applyPatchSpec['name'];
  return isFreeform || equalJson(spec, applyPatchFunctionSpec) ? patchSpecFor(provider) : spec;
}
