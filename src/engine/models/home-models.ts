import type { Config } from '../../core/config/config.ts';
import { combinedError } from '../../core/config/layer-order.ts';
import { builtInProvider, defaultModelOf, modelProblem } from '../../core/config/providers/built-in-providers.ts';
import type { ProviderConfig } from '../../core/config/providers/provider-config.ts';
import { type Catalogue, type KnownFields, lookUpModel, type ModelRecord } from '../../core/envelope/model-record.ts';
import { isWindowGuessed, nominalWindow, withConfiguredWindow } from '../../core/envelope/window.ts';
import type { ServerModels } from '../../adapters/model/server-models.ts';
import { bundledModelNames } from '../../adapters/gather/bundled-models.ts';
import { loadCatalogue } from '../../adapters/gather/model-catalogue-file.ts';
import type { KeptModels, ProviderModelFiles, ModelServerIdentity } from '../../adapters/gather/provider-models.ts';
import {
  loadCatalogueOfProvider,
  providerModelFiles,
  modelServerIdentity,
} from '../../adapters/gather/provider-models.ts';
import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { dropConfiguredModelOfOtherProvider } from '../../adapters/gather/settings/settings-origins.ts';
import { defaultModel, contextWindowSettings } from '../../adapters/gather/settings/settings.ts';
import { defined } from '../../base/objects.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { providerRequestAddress, askServerForModels } from './fetch-model-list.ts';
import type { EngineParts } from '../engine-parts.ts';
import { type FoundAbility, type ModelTest, modelTest } from './model-test.ts';
import { configFileDenier } from '../sandbox/denied-config-files.ts';
import { mergeAskedModels } from './provider-models.ts';
import { locatedProvider, threadProviders } from './thread-providers.ts';

export interface ModelListOptions {
  readonly cwd: string;
  /** Absent: the configured one. */
  readonly provider?: string;
}

export interface ListedModel {
  readonly model: string;
  readonly window?: number;
  readonly source: string;
  readonly isTested: boolean;
}

export interface ListedModels {
  readonly provider: string;
  readonly address: string;
  readonly models: readonly ListedModel[];
  /** `unasked`: the server was not asked. */
  readonly server: 'answered' | 'silent' | 'unasked';
  /** Why it gave no list. Absent: it gave one, was not asked, or the reason is unknown. */
  readonly problem?: Pick<Outcome, 'message' | 'next'>;
}

export interface ShownModel {
  readonly provider: string;
  readonly record: ModelRecord;
  readonly isTested: boolean;
  sourceOf(field: string): string;
}

export interface PreparedTest extends Pick<ModelTest, 'questions'> {
  readonly provider: string;
  readonly address: string;
  readonly model: string;
  /** Its findings become part of the model's record. */
  run(report: (found: FoundAbility) => void, signal: AbortSignal): Promise<ModelTestResult | Outcome>;
}

export interface ModelTestResult {
  readonly fields: KnownFields;
  /** The file of the results. Absent: the disk refused it. */
  readonly file?: string;
  /** True if the user's file describes all models and alone counts. */
  readonly isUnused: boolean;
}

const patienceMs = 5000;

export class HomeModels {
  readonly #engine: EngineParts;
  readonly #files: ProviderModelFiles;

  constructor(engine: EngineParts) {
    this.#engine = engine;
    this.#files = providerModelFiles(engine.base.home);
  }

  /** Asks the server for its list, if wanted, and keeps it for later threads. */
  async list(
    asked: ModelListOptions,
    { asksServer, signal }: { readonly asksServer: boolean; readonly signal: AbortSignal },
  ): Promise<ListedModels | Outcome> {
    const found = await this.#find(asked);
    if ('code' in found) return found;
    const { provider, owner, isStatic } = found;
    const said = asksServer && !isStatic ? await this.#ask(provider, owner, signal) : undefined;
    const catalogue = this.#catalogue(found);
    const kept = isStatic ? undefined : this.#files.read(owner, 'said');
    const tested = new Set(this.#tested(found)?.models.map(({ slug }) => slug));
    const ofServer = (kept?.models ?? []).map(({ slug }) => slug);
    const names = [...(ofServer.length > 0 ? ofServer : namesWithoutServer(found)), ...tested];
    const models = [...new Set(names)].toSorted().map((model): ListedModel => {
      const record = lookUpModel(catalogue, model);
      const known = isWindowGuessed(record)
        ? { source: 'not known' }
        : { window: nominalWindow(record), source: sourceOf(found, record, 'contextWindow') };
      return { model, ...known, isTested: tested.has(model) };
    });
    const server = said === undefined ? 'unasked' : said.kind === 'unknown' ? 'silent' : 'answered';
    const problem = said?.kind === 'unknown' ? said.why : undefined;
    const address = await providerRequestAddress(this.#engine, provider);
    return { provider: provider.id, address, models, server, ...defined({ problem }) };
  }

  async show(asked: ModelListOptions, model: string): Promise<ShownModel | Outcome> {
    const found = await this.#find(asked);
    if ('code' in found) return found;
    const record = this.#recordOf(found, model);
    const isTested = this.#tested(found)?.models.some(({ slug }) => slug === model) === true;
    return { provider: found.provider.id, record, isTested, sourceOf: (field) => sourceOf(found, record, field) };
  }

  /** Sends nothing until `run` is called. */
  async test(
    asked: ModelListOptions,
    { model, wantsOverflow }: { readonly model?: string | undefined; readonly wantsOverflow: boolean },
  ): Promise<PreparedTest | Outcome> {
    const found = await this.#find(asked);
    if ('code' in found) return found;
    const { config, provider, owner, base, isStatic } = found;
    const own = config.modelProvider === provider.id ? config.model : undefined;
    const problem = model === undefined && own === undefined ? modelProblem(provider.id) : undefined;
    if (problem !== undefined) return problem;
    const slug = model ?? own ?? defaultModel(provider.id, base);
    const made = await threadProviders(this.#engine, { config, settings: {} }).make(provider);
    if ('code' in made) return made;
    const record = this.#recordOf(found, slug);
    const { questions, run } = modelTest(made, { provider, record, wantsOverflow });
    return {
      provider: provider.id,
      address: await providerRequestAddress(this.#engine, provider),
      model: slug,
      questions,
      run: async (report, signal) => {
        const abilities: FoundAbility[] = [];
        const failed = await run((each) => {
          abilities.push(each);
          report(each);
        }, signal);
        if (failed !== undefined) return failed;
        const fields = fieldsFound(abilities, record);
        return { fields, isUnused: isStatic, ...defined({ file: this.#keepTested(owner, slug, fields) }) };
      },
    };
  }

  async #find({ cwd, provider: id }: ModelListOptions): Promise<Found | Outcome> {
    const { base: layers, options } = this.#engine;
    const { config: configured, layers: ofFolder, problems } = await configInFolder(layers, cwd);
    const config = dropConfiguredModelOfOtherProvider(configured, ofFolder);
    const wrong = combinedError(problems);
    if (wrong !== undefined) return wrong;
    const provider = locatedProvider(config, id ?? config.modelProvider, options.env);
    if ('code' in provider) return provider;
    const base = loadCatalogue(config, { denies: configFileDenier(this.#engine) });
    if ('code' in base) return base;
    const owner = modelServerIdentity(provider, options.env);
    return { config, provider, owner, base, isStatic: config.modelCatalogJson !== undefined };
  }

  #catalogue({ base, provider, config }: Found): Catalogue {
    const { home, options } = this.#engine;
    return loadCatalogueOfProvider(home, base, { provider, config, environment: options.env });
  }

  #recordOf(found: Found, model: string): ModelRecord {
    const record = lookUpModel(this.#catalogue(found), model);
    return withConfiguredWindow(record, contextWindowSettings(found.config), configSource);
  }

  #tested({ owner }: Found): KeptModels | undefined {
    return this.#files.read(owner, 'tested');
  }

  async #ask(provider: ProviderConfig, owner: ModelServerIdentity, signal: AbortSignal): Promise<ServerModels> {
    const before = this.#files.read(owner, 'said');
    const found = await askServerForModels(this.#engine, { provider, timeoutMs: patienceMs, signal, known: before });
    if (found.kind === 'unknown') return found;
    this.#files.write(owner, 'said', mergeAskedModels(before, found, { now: this.#engine.clock.now() }));
    return found;
  }

  #keepTested(owner: ModelServerIdentity, slug: string, fields: KnownFields): string | undefined {
    const now = this.#engine.clock.now();
    const source = `models test of ${new Date(now).toISOString().slice(0, 10)}`;
    const others = this.#files.read(owner, 'tested')?.models.filter((each) => each.slug !== slug) ?? [];
    const kept = { askedAt: now, models: [...others, { slug, source, fields }] };
    return this.#files.write(owner, 'tested', kept) ? this.#files.pathOf(owner, 'tested') : undefined;
  }
}

interface Found {
  readonly config: Config;
  readonly provider: ProviderConfig;
  readonly owner: ModelServerIdentity;
  /** Known without the provider. */
  readonly base: Catalogue;
  readonly isStatic: boolean;
}

const configSource = 'config.toml';

/** Model names for a provider whose server gave no list, without the models of other providers. */
function namesWithoutServer({ config, provider: { id }, base, isStatic }: Found): readonly string[] {
  if (isStatic) return base.models.map(({ slug }) => slug);
  const own = (config.modelProvider === id ? config.model : undefined) ?? defaultModelOf(id);
  const builtIn = builtInProvider(id);
  // A built-in provider that names no usual model uses the first of the catalogue: the bundled models are its own.
  const isMaker = builtIn !== undefined && builtIn.model === undefined;
  return [...(own === undefined ? [] : [own]), ...(isMaker ? bundledModelNames() : [])];
}

function sourceOf({ config, base }: Found, record: ModelRecord, field: string): string {
  if (field === 'effectivePercent' && config.window?.effectivePercent !== undefined) return configSource;
  const named = record.sources?.[field as keyof KnownFields];
  if (named !== undefined) return named;
  if (record.guessed) return 'general values';
  return lookUpModel(base, record.slug).guessed
    ? 'the server’s list of models'
    : (config.modelCatalogJson ?? 'built-in catalogue');
}

function fieldsFound(abilities: readonly FoundAbility[], { modalities }: ModelRecord): KnownFields {
  const stateOf = (name: FoundAbility['ability']) => abilities.find(({ ability }) => ability === name)?.state;
  const [pictures, parallel] = [stateOf('pictures'), stateOf('parallel calls')];
  const others = modalities.filter((each) => each !== 'image');
  return defined({
    contextWindow: abilities.find(({ ability }) => ability === 'overflow')?.window,
    modalities: pictures === 'yes' ? [...others, 'image'] : pictures === 'no' ? others : undefined,
    parallelCalls: parallel === 'yes' ? true : parallel === 'no' ? false : undefined,
  });
}
