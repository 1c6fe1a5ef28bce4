import { builtInProvider } from './built-in-providers.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** The model of a built-in provider if the user names none; undefined if the provider has no such model. */
export function defaultModelOf(id: string): string | undefined {
  const model = builtInProvider(id)?.model;
  return typeof model === 'object' ? model.usual : undefined;
}

export function modelProblem(provider: string, other?: string): Outcome<'model-missing'> | undefined {
  if (builtInProvider(provider)?.model !== 'named') return undefined;
  const named = other === undefined ? 'No model is named' : `The model ${other} is named for another provider`;
  const how = other === undefined ? 'Set model in config.toml, or use -m.' : 'Name one of its models with -m.';
  const message = `${named}, and the provider "${provider}" has no usual one.`;
  const next = `${how} \`capstan models list --provider ${provider}\` shows what it has.`;
  return { code: 'model-missing', message, next };
}
