import { providerAddress, type ProviderConfig } from '../../config/providers.ts';
import { type Catalogue, lookUpModel, type ModelRecord } from '../../envelope/model-record.ts';
import { catalogueOfProvider } from '../../gather/catalogue/catalogue-of-provider.ts';
import { type KeptModel, type KeptModels, modelFiles } from '../../gather/catalogue/model-files.ts';
import type { ServerModel, ServerModels } from '../../model/server-models.ts';
import { defined } from '../../protocol/defined.ts';
import type { EngineParts } from './engine-parts.ts';

/** What a thread knows of its provider's models. */
export interface ProviderModels {
  /** With what is known by now. */
  catalogue(): Catalogue;
  /** Asks a server on this machine about a model that it was never asked about, and waits a moment for it. */
  learn(model: string): Promise<void>;
  /** Asks again beside the work about the model of the turn, where what is known may be out of date. It counts from the next turn on. */
  refresh(): void;
  /** Nothing is asked any more. */
  release(): Promise<void>;
}

/** A server on the same machine is quick, and a start waits for it once. */
const learnMs = 400;
const refreshMs = 5000;
/** So long a list of a distant server counts as new. */
const freshMs = 300_000;
/** What a server here says may change with each of its starts. */
const freshHereMs = 10_000;

type Shared = Pick<
  EngineParts,
  'base' | 'options' | 'clock' | 'sendTo' | 'logins' | 'requests' | 'programs' | 'programFolder'
>;

interface ModelSources {
  readonly provider: ProviderConfig;
  readonly catalogue: Catalogue;
  /** The user described all models in a file: no server is asked. */
  readonly isStatic: boolean;
}

/** Reads two small files at most. A server is asked by `learn` and `refresh` alone. */
export function providerModels(engine: Shared, { provider, catalogue: base, isStatic }: ModelSources): ProviderModels {
  const { clock } = engine;
  const files = modelFiles(engine.base.home);
  const owner = { id: provider.id, address: providerAddress(provider) };
  const over = new AbortController();
  const tested = isStatic ? undefined : files.read(owner, 'tested');
  let said = isStatic ? undefined : files.read(owner, 'said');
  let made: Catalogue | undefined;
  let asking: Promise<void> | undefined;
  let current = '';

  const catalogue = (): Catalogue => (made ??= catalogueOfProvider(base, { provider, said, tested }));
  const ask = async (model: string, timeoutMs: number): Promise<void> => {
    const { askModels } = await import('./ask-models.ts');
    const etag = said?.etag;
    const signal = over.signal;
    const found = await askModels(engine, { provider, model, timeoutMs, signal, ...defined({ etag }) });
    if (signal.aborted) return;
    said = keptAfter(said, found, { now: clock.now(), model });
    made = undefined;
    files.write(owner, 'said', said);
  };
  const wasAsked = (model: string): boolean => said?.models.some(({ slug }) => slug === model) === true;
  const isSaid = (model: string): boolean =>
    said?.models.some(({ slug, source }) => slug === model && source !== unanswered) === true;
  const isAsked = (model: string): boolean =>
    !isStatic && (hasOwnWord(provider) || isFromServer(lookUpModel(catalogue(), model)));
  return {
    catalogue,
    async learn(model) {
      current = model;
      if (!isAsked(model) || wasAsked(model) || !isHere(provider)) return;
      await (asking ??= ask(model, learnMs));
      asking = undefined;
    },
    refresh() {
      const since = said === undefined ? Infinity : clock.now() - said.askedAt;
      const isDue = since >= (hasOwnWord(provider) ? freshHereMs : freshMs) || !isSaid(current);
      if (!isAsked(current) || !isDue || asking !== undefined) return;
      asking = ask(current, refreshMs).finally(() => (asking = undefined));
    },
    async release() {
      over.abort();
      await asking;
    },
  };
}

/** A server that says how large a window is as it is loaded knows more than any catalogue. */
function hasOwnWord({ capabilities }: ProviderConfig): boolean {
  return capabilities.windowFrom !== 'list';
}

/** The catalogue does not know the model, so that the word of its server counts. */
function isFromServer({ guessed }: ModelRecord): boolean {
  return guessed;
}

function isHere({ baseUrl }: ProviderConfig): boolean {
  return /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname);
}

/** The source of a model that was asked about in vain: no start waits for an answer about it again. */
export const unanswered = 'no answer';

/** A server that did not answer leaves what was known. `model`: the one that was asked about. */
export function keptAfter(
  before: KeptModels | undefined,
  found: ServerModels,
  { now, model }: { readonly now: number; readonly model?: string },
): KeptModels {
  const { models = [], etag } = before ?? {};
  const inVain = (known: readonly KeptModel[]): readonly KeptModel[] =>
    model === undefined || known.some(({ slug }) => slug === model)
      ? []
      : [{ slug: model, source: unanswered, fields: {} }];
  if (found.kind !== 'models') {
    return { askedAt: now, models: [...models, ...inVain(models)], ...defined({ etag }) };
  }
  const fresh = found.models.map(keptOf);
  const others = found.etag === undefined ? models.filter(({ slug }) => !fresh.some((each) => each.slug === slug)) : [];
  const all = [...others, ...fresh];
  return { askedAt: now, models: [...all, ...inVain(all)], ...defined({ etag: found.etag }) };
}

function keptOf({ slug, source, record, pictures, contextWindow, maxOutputTokens }: ServerModel): KeptModel {
  const modalities = pictures === undefined ? undefined : pictures ? ['text', 'image'] : ['text'];
  return { slug, source, fields: defined({ contextWindow, maxOutputTokens, modalities }), ...defined({ record }) };
}
