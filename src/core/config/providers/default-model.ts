import { builtInProvider } from './built-in-providers.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** The model that a built-in provider is asked for when the user named none; undefined if any provider may have it. */
export function usualModel(id: string): string | undefined {
  const model = builtInProvider(id)?.model;
  return typeof model === 'object' ? model.usual : undefined;
}

/** Why a thread of this provider cannot do without a model that the user names. `other`: one for another provider. */
export function modelProblem(provider: string, other?: string): Outcome<'model-missing'> | undefined {
  if (builtInProvider(provider)?.model !== 'named') return undefined;
  const named = other === undefined ? 'No model is named' : `The model ${other} is named for another provider`;
  const next = other === undefined ? 'Set model in config.toml, or use -m.' : 'Name one of its models with -m.';
  return {
    code: 'model-missing',
    message: `${named}, and the provider "${provider}" has no usual one.`,
    next: `${next} \`capstan models list --provider ${provider}\` shows what it has.`,
  };
}
