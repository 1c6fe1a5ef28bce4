import { type BuiltInProvider, builtInProviders } from './built-in-providers.ts';
import type { ProviderConfig, ProviderProblem } from './providers.ts';

/** A built-in provider on the user's own machine. */
export interface LocalProvider {
  readonly id: string;
  /** Asked when the user named none. */
  readonly model: string;
  /** The command that starts the server. */
  readonly start: string;
  /** The command that gets a model, without its name. */
  readonly get: string;
}

/** Those that `--oss` looks for: they get models by name. */
export const localProviders: readonly LocalProvider[] = Object.entries<BuiltInProvider>(builtInProviders).flatMap(
  ([id, { local, model }]) => {
    if (local?.get === undefined || typeof model !== 'object') return [];
    return [{ id, model: model.usual, start: local.start, get: local.get }];
  },
);

export function localProvider(id: string): LocalProvider | undefined {
  return localProviders.find((local) => local.id === id);
}

const addressVariable = 'CODEX_OSS_BASE_URL';
const portVariable = 'CODEX_OSS_PORT';

/** A local provider where the environment says that it is: at an address, else at a port. Blank counts as unset. */
export function atLocalAddress(
  provider: ProviderConfig,
  env: Readonly<Record<string, string | undefined>>,
): ProviderConfig | ProviderProblem {
  if (localProvider(provider.id) === undefined) return provider;
  const [address = '', port = ''] = [addressVariable, portVariable].map((name) => env[name]?.trim());
  if (address !== '') {
    if (!/^https?:\/\/[^\s/?#]/i.test(address) || !URL.canParse(address)) {
      return wrong(`${addressVariable} is not a web address: ${JSON.stringify(address)}`);
    }
    return { ...provider, baseUrl: address.replace(/\/+$/, '') };
  }
  if (port === '') return provider;
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    return wrong(`${portVariable} is not a port number: ${JSON.stringify(port)}`);
  }
  return { ...provider, baseUrl: `http://localhost:${Number(port)}/v1` };
}

function wrong(message: string): ProviderProblem {
  const example = 'the address that ends before /responses, such as http://localhost:11434/v1';
  return { code: 'provider-incomplete', message, next: `Unset it, or set ${addressVariable} to ${example}.` };
}
