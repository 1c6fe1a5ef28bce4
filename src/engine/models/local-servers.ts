import { loadBaseLayers, type Overrides } from '../../adapters/gather/config/config-layers.ts';
import { findHome } from '../../adapters/gather/home.ts';
import { askLocalServer, type LocalServerAnswer } from '../../adapters/model/server-models.ts';
import { combinedError } from '../../core/config/layer-order.ts';
import type { Config } from '../../core/config/config.ts';
import type { LocalProvider, ProviderConfig } from '../../core/config/providers/provider-config.ts';
import { localProvider, localProviders } from '../../core/config/providers/provider-config.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import type { EngineOptions } from '../engine-options.ts';
import type { EngineParts } from '../engine-parts.ts';
import { locatedProvider } from './thread-providers.ts';

export type LocalCandidate = { readonly local: LocalProvider; readonly provider: ProviderConfig };
type FoundServer = LocalCandidate & { readonly models: readonly string[] };

type LocalProblem = Outcome<
  'local-provider-unknown' | 'local-provider-unclear' | 'local-server-missing' | 'local-model-missing'
>;

/** The overrides for `--oss`: a provider that answers on this machine, and a model that it has. Installs nothing. */
export async function localOverrides(options: EngineOptions, named: string | undefined): Promise<Overrides | Outcome> {
  const home = findHome(options.env, options.osHome);
  if ('code' in home) return home;
  const { config, problems } = await loadBaseLayers(home.path, options);
  const error = combinedError(problems);
  if (error !== undefined) return error;
  if (config.pinned.get('model_provider') === 'managed') return managedProvider(config);
  const found = await find(config, options.env, named);
  if ('code' in found) return found;
  const { id, model: usual } = found.local;
  // A model that a file names for another provider does not apply to this one.
  const isMeant = config.pinned.has('model') || config.modelProvider === id;
  const model = (isMeant ? config.model : undefined) ?? usual;
  const values = Object.entries({ model_provider: id, model });
  return modelProblem(found, model) ?? values.map(([key, value]) => ({ path: [key], value }));
}

async function find(
  config: Config,
  env: EnvironmentVariables,
  named: string | undefined,
): Promise<FoundServer | Outcome> {
  const chosen = named ?? config.ossProvider;
  if (chosen !== undefined && localProvider(chosen) === undefined)
    return unknownProvider(chosen, named === undefined ? 'oss_provider' : '--local-provider');
  const candidates: LocalCandidate[] = [];
  for (const local of localProviders) {
    const provider = locatedProvider(config, local.id, env);
    if ('code' in provider) return provider;
    candidates.push({ local, provider });
  }
  const candidate = candidates.find(({ local }) => local.id === chosen);
  if (candidate === undefined) return findOnlyServer(candidates);
  const server = await askLocalServer(candidate.provider.baseUrl);
  return server.kind === 'answers' ? { ...candidate, models: server.models } : missing(candidate, server);
}

const howToChoose = `Choose with --local-provider ${localProviders.map(({ id }) => id).join('|')}, or set oss_provider in config.toml.`;

/** The only server that answers, if the user chose none. */
export async function findOnlyServer(candidates: readonly LocalCandidate[]): Promise<FoundServer | LocalProblem> {
  const servers = await Promise.all(candidates.map(({ provider }) => askLocalServer(provider.baseUrl)));
  const [only, another] = candidates.flatMap((candidate, i) => {
    const server = servers[i];
    return server?.kind === 'answers' ? [{ ...candidate, models: server.models }] : [];
  });
  if (only !== undefined && another === undefined) return only;
  const places = candidates.map(({ provider }) => `${provider.name} at ${shownAddress(provider)}`).join(', ');
  if (only !== undefined) {
    const message = `More than one local server answers: ${places}.`;
    return { code: 'local-provider-unclear', message, next: howToChoose };
  }
  const starts = candidates.map(({ local }) => `\`${local.start}\``).join(' or ');
  const message = `No server with models answers on this machine: ${places}.`;
  return { code: 'local-server-missing', message, next: `Start one with ${starts}. ${howToChoose}` };
}

function modelProblem({ local, provider, models }: FoundServer, model: string): LocalProblem | undefined {
  // For a name without a tag, Ollama takes the tag `latest`.
  if (models.includes(model) || models.includes(`${model}:latest`)) return undefined;
  const others = models.length === 0 ? '' : `, or choose one that it has with -m: ${models.slice(0, 5).join(', ')}`;
  return {
    code: 'local-model-missing',
    message: `${provider.name} at ${shownAddress(provider)} does not have the model ${model}.`,
    next: `Get it with \`${local.get} ${model}\`${others}${models.length > 5 ? ', …' : ''}.`,
  };
}

function unknownProvider(id: string, key: string): LocalProblem {
  const code = 'local-provider-unknown';
  if (id === 'ollama-chat') {
    const message = `${key} is "ollama-chat", which used a wire format that is no longer supported.`;
    return { code, message, next: 'Set it to "ollama" instead.' };
  }
  const known = localProviders.map((local) => `"${local.id}"`).join(', ');
  const message = `${key} is ${JSON.stringify(id)}, which is not a local provider.`;
  return { code, message, next: `Set it to one of ${known}. For any other server, set model_provider.` };
}

function missing({ local, provider }: LocalCandidate, { kind }: LocalServerAnswer): LocalProblem {
  const where = shownAddress(provider);
  const [message, start] =
    kind === 'silent'
      ? [`${provider.name} does not answer at ${where}.`, `Start it with \`${local.start}\`, or set`]
      : [`The server at ${where} is not ${provider.name}: it has no list of models.`, 'Set'];
  const next = `${start} CODEX_OSS_PORT or CODEX_OSS_BASE_URL to its address.`;
  return { code: 'local-server-missing', message, next };
}

/** Hides the user name and password. */
function shownAddress({ baseUrl }: ProviderConfig): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}

const managedProvider = ({ modelProvider }: Config): Outcome<'provider-managed'> => ({
  code: 'provider-managed',
  message: `An administrator set model_provider to "${modelProvider}" on this machine, and --oss cannot change it.`,
  next: 'Start without --oss, or ask the administrator.',
});

export interface LocalServerFound {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly models: readonly string[];
}

export async function findLocalServers(
  { base, options }: Pick<EngineParts, 'base' | 'options'>,
  patienceMs: number,
): Promise<readonly LocalServerFound[]> {
  const found = await Promise.all(
    localProviders.map(async ({ id }): Promise<readonly LocalServerFound[]> => {
      const provider = locatedProvider(base.config, id, options.env);
      // An unusable address is reported by the code that selects it.
      if ('code' in provider) return [];
      const server = await askLocalServer(provider.baseUrl, patienceMs);
      if (server.kind !== 'answers') return [];
      return [{ id, name: provider.name, address: shownAddress(provider), models: server.models }];
    }),
  );
  return found.flat();
}
