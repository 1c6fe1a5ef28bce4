import { localProvider } from './local-providers.ts';

/** Built-in providers that do not serve the first model of the catalogue, beside those on the user's machine. */
const models: Readonly<Record<string, string>> = { anthropic: 'claude-sonnet-4-5' };

/** The model that a built-in provider is asked for when the user named none; undefined if any provider may have it. */
export function providerModel(id: string): string | undefined {
  return localProvider(id)?.model ?? (Object.hasOwn(models, id) ? models[id] : undefined);
}
