import type { Config } from '../../config/config.ts';
import { refusalOf } from '../../config/config-problem.ts';
import { atLocalAddress, localProvider, localProviders } from '../../config/local-providers.ts';
import { providerOf } from '../../config/providers.ts';
import { loadBaseLayers, type Overrides } from '../../gather/config/config-layers.ts';
import { findHome } from '../../gather/system/home.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Variables } from '../../protocol/variables.ts';
import {
  findOnlyServer,
  findServer,
  type FoundServer,
  type LocalCandidate,
  modelProblem,
  unknownProvider,
} from './local-servers.ts';

/**
 * What `--oss` stands for, as overrides: a provider on this machine and its model. Both are there when this resolves;
 * nothing is installed.
 */
export async function localOverrides(
  options: EngineOptions,
  named: string | undefined,
): Promise<{ readonly overrides: Overrides } | Outcome> {
  const home = findHome(options.env, options.osHome);
  if ('code' in home) return home;
  const { config, problems } = await loadBaseLayers(home.path, options);
  const error = refusalOf(problems);
  if (error !== undefined) return error;
  if (config.pinned.get('model_provider') === 'managed') return managedProvider(config);
  const found = await find(config, options.env, named);
  if ('code' in found) return found;
  const { id } = found.local;
  const model = modelFor(found, config);
  return (
    modelProblem(found, model) ?? {
      overrides: [
        { path: ['model_provider'], value: id },
        { path: ['model'], value: model },
      ],
    }
  );
}

async function find(config: Config, env: Variables, named: string | undefined): Promise<FoundServer | Outcome> {
  const chosen = named ?? config.ossProvider;
  if (chosen !== undefined && localProvider(chosen) === undefined) {
    return unknownProvider(chosen, named === undefined ? 'oss_provider' : '--local-provider');
  }
  const candidates: LocalCandidate[] = [];
  for (const local of localProviders) {
    const known = providerOf(config, local.id);
    const provider = 'code' in known ? known : atLocalAddress(known, env);
    if ('code' in provider) return provider;
    candidates.push({ local, provider });
  }
  const candidate = candidates.find(({ local }) => local.id === chosen);
  return candidate === undefined ? findOnlyServer(candidates) : findServer(candidate);
}

/** A model that a file names for another provider is none of this one. */
function modelFor({ local }: FoundServer, config: Config): string {
  const isMeant = config.pinned.has('model') || config.modelProvider === local.id;
  return (isMeant ? config.model : undefined) ?? local.model;
}

function managedProvider({ modelProvider }: Config): Outcome<'provider-managed'> {
  return {
    code: 'provider-managed',
    message: `The provider of this machine is managed: model_provider is "${modelProvider}", and --oss cannot change it.`,
    next: 'Start without --oss, or ask the administrator of this machine.',
  };
}
