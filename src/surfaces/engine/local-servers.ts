import { type LocalProvider, localProviders } from '../../config/local-providers.ts';
import type { ProviderConfig } from '../../config/providers.ts';
import { askLocalServer, type LocalServer } from '../../model/local-server.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** A local provider and where it should be. */
export interface LocalCandidate {
  readonly local: LocalProvider;
  readonly provider: ProviderConfig;
}

/** The same, with the models that it has. */
export interface FoundServer extends LocalCandidate {
  readonly models: readonly string[];
}

export type LocalProblem = Outcome<
  'local-provider-unknown' | 'local-provider-unclear' | 'local-server-missing' | 'local-model-missing'
>;

const howToChoose = `Choose with --local-provider ${localProviders.map(({ id }) => id).join('|')}, or set oss_provider in config.toml.`;

/** The server that the user chose. */
export async function findServer(candidate: LocalCandidate): Promise<FoundServer | LocalProblem> {
  const server = await askLocalServer(candidate.provider.baseUrl);
  return server.kind === 'answers' ? { ...candidate, models: server.models } : missing(candidate, server);
}

/** The only one that answers, when the user chose none. */
export async function findOnlyServer(candidates: readonly LocalCandidate[]): Promise<FoundServer | LocalProblem> {
  const servers = await Promise.all(candidates.map(({ provider }) => askLocalServer(provider.baseUrl)));
  const found = candidates.flatMap((candidate, i) => {
    const server = servers[i];
    return server?.kind === 'answers' ? [{ ...candidate, models: server.models }] : [];
  });
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  const places = candidates.map(({ provider }) => `${provider.name} at ${shownAddress(provider)}`).join(', ');
  if (only !== undefined) {
    return { code: 'local-provider-unclear', message: `More than one answers: ${places}.`, next: howToChoose };
  }
  const starts = candidates.map(({ local }) => `\`${local.start}\``).join(' or ');
  return {
    code: 'local-server-missing',
    message: `No server with models answers on this machine: ${places}.`,
    next: `Start one with ${starts}. ${howToChoose}`,
  };
}

/** What is wrong when the server does not have the model. */
export function modelProblem({ local, provider, models }: FoundServer, model: string): LocalProblem | undefined {
  // Without a tag Ollama takes the newest.
  if (models.includes(model) || models.includes(`${model}:latest`)) return undefined;
  const others = models.length === 0 ? '' : `, or take one that it has with -m: ${models.slice(0, 5).join(', ')}`;
  return {
    code: 'local-model-missing',
    message: `${provider.name} at ${shownAddress(provider)} does not have the model ${model}.`,
    next: `Get it with \`${local.get} ${model}\`${others}${models.length > 5 ? ', …' : ''}.`,
  };
}

export function unknownProvider(id: string, key: string): LocalProblem {
  const isOld = id === 'ollama-chat';
  return {
    code: 'local-provider-unknown',
    message: isOld
      ? `${key} is "ollama-chat", which spoke a wire format that is gone.`
      : `${key} is ${JSON.stringify(id)}, which is no provider on this machine.`,
    next: isOld
      ? 'Set it to "ollama" instead.'
      : `Set it to one of ${localProviders.map((local) => `"${local.id}"`).join(', ')}; for any other server set model_provider.`,
  };
}

function missing({ local, provider }: LocalCandidate, { kind }: LocalServer): LocalProblem {
  const where = shownAddress(provider);
  const start = kind === 'silent' ? `Start it with \`${local.start}\`, or say` : 'Say';
  return {
    code: 'local-server-missing',
    message:
      kind === 'silent'
        ? `${provider.name} does not answer at ${where}.`
        : `What answers at ${where} is not ${provider.name}: it has no list of models.`,
    next: `${start} where it is with CODEX_OSS_PORT or CODEX_OSS_BASE_URL.`,
  };
}

/** Without a name and a password. */
function shownAddress({ baseUrl }: ProviderConfig): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}
