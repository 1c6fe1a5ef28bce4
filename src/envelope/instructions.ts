import type { Identity } from './identity.ts';
import type { Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

/** Text whose author is not the model and not the user of this turn. AGENTS.md is not here: it may move inside a turn. */
export interface Instructions {
  /** Sent with every request, unchanged for the whole thread. */
  readonly base: BaseInstructions;
}

/** `model`: the text is the catalogue's for that model. `custom`: somebody chose it. */
export interface BaseInstructions {
  readonly text: string;
  readonly provenance: { readonly type: 'model'; readonly model: string } | { readonly type: 'custom' };
}

/** What the thread has been started with, if it has started: base instructions never change under a thread. */
export interface InstructionsSoFar {
  readonly base?: BaseInstructions;
}

export function resolveInstructions(
  soFar: InstructionsSoFar,
  settings: Settings,
  before: { identity: Identity; workspace: Workspace },
): Instructions {
  return { base: soFar.base ?? firstInstructions(settings, before.identity) };
}

function firstInstructions(settings: Settings, identity: Identity): BaseInstructions {
  if (settings.baseInstructions !== undefined) {
    return { text: settings.baseInstructions, provenance: { type: 'custom' } };
  }
  return { text: identity.model.instructions, provenance: { type: 'model', model: identity.model.slug } };
}
