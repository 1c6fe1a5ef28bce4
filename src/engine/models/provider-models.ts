import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider-config.ts';
import { type Catalogue, lookUpModel, type ModelRecord } from '../../core/envelope/model-record.ts';
import {
  catalogueOfProvider,
  isFromSameServer,
  loadKeptProviderModels,
  providerModelFiles,
  modelServerIdentity,
} from '../../adapters/gather/provider-models.ts';
import type { KeptModel, KeptModels } from '../../adapters/gather/provider-models.ts';
import type { ServerModel } from '../../adapters/model/server-models.ts';
import { isThisMachine, normaliseHost } from '../../core/policy/network/host-name.ts';
import { defined } from '../../base/objects.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { AskingParts, AskedModels } from './fetch-model-list.ts';

export interface ProviderModels {
  /** Includes everything known by now. */
  catalogue(): Catalogue;
  /** Asks a local server about a model, unless it has answered about it already, and waits briefly for the answer. */
  learn(model: string): Promise<void>;
  /** Asks in the background if facts may be outdated, for the next turn. `etag`: the list's, as an answer named it. */
  refresh(etag?: string): void;
  release(): Promise<void>;
}

/** A local server is quick, and a start waits for it once. */
const learnMs = 400;
const refreshMs = 5000;
/** Time that the list of a remote server counts as fresh. */
const freshMs = 300_000;
/** The facts of a local server may change with each of its starts. */
const freshHereMs = 10_000;

interface ModelSources {
  readonly provider: ProviderConfig;
  /** Known without the provider. */
  readonly described: Catalogue;
  readonly config: Pick<Config, 'modelCatalogJson'>;
}

/** Reads at most two small files. Only `learn` and `refresh` ask a server. */
export function providerModels(
  engine: AskingParts & Pick<EngineParts, 'base'>,
  { provider, described, config }: ModelSources,
): ProviderModels {
  const { clock } = engine;
  const files = providerModelFiles(engine.base.home);
  const environment = engine.options.env;
  const owner = modelServerIdentity(provider, environment);
  const over = new AbortController();
  // If the user described all models in a file, no server is asked.
  const isStatic = config.modelCatalogJson !== undefined;
  const { tested, said: before } = loadKeptProviderModels(engine.base.home, { provider, config, environment });
  let said = before;
  let made: Catalogue | undefined;
  const asking = new Map<string, Promise<void>>();
  let current = '';
  /** The newest etag asked about. A server may name one that its list never has, so ask only once for each. */
  let askedFor: string | undefined;

  const catalogue = (): Catalogue => (made ??= catalogueOfProvider(described, { provider, said, tested }));
  const ask = async (model: string, timeoutMs: number): Promise<void> => {
    const { askServerForModels } = await import('./fetch-model-list.ts');
    const found = await askServerForModels(engine, { provider, model, timeoutMs, signal: over.signal, known: said });
    if (over.signal.aborted) return;
    said = mergeAskedModels(said, found, { now: clock.now(), model });
    made = undefined;
    files.write(owner, 'said', said);
  };
  const begin = (model: string, timeoutMs: number): Promise<void> => {
    const asked = ask(model, timeoutMs).finally(() => asking.delete(model));
    asking.set(model, asked);
    return asked;
  };
  const wasAsked = (model: string): boolean =>
    said?.models.some(({ slug, asked, fields }) => slug === model && (asked ?? fields.contextWindow !== undefined)) ===
    true;
  const isAsked = (model: string): boolean =>
    !isStatic && (hasOwnWord(provider) || isFromServer(lookUpModel(catalogue(), model)));
  return {
    catalogue,
    async learn(model) {
      current = model;
      if (!isAsked(model) || wasAsked(model) || !isHere(provider)) return;
      const before = asking.get(model);
      if (before === undefined) return begin(model, learnMs);
      // The pending question began in the background and may take longer than a start should wait.
      const done = new AbortController();
      await Promise.race([before, clock.sleep(learnMs, done.signal)]).finally(() => done.abort());
    },
    refresh(etag) {
      const isOther = etag !== undefined && plainEtag(etag) !== plainEtag(said?.etag) && etag !== askedFor;
      const since = said === undefined ? Infinity : clock.now() - said.askedAt;
      const isDue = since >= (hasOwnWord(provider) ? freshHereMs : freshMs) || !wasAsked(current);
      // Ask if facts about the current model come from the server, or if the list that is in use has changed.
      const isUsed = isAsked(current) || (!isStatic && isOther && (said?.models.length ?? 0) > 0);
      if (!isUsed || !(isDue || isOther) || asking.size > 0) return;
      askedFor = etag ?? askedFor;
      void begin(current, refreshMs);
    },
    async release() {
      over.abort();
      await Promise.all(asking.values());
    },
  };
}

/** Headers contain it with and without quotes. */
const plainEtag = (etag: string | undefined): string | undefined => etag?.replace(/^(?:W\/)?"(.*)"$/, '$1');
/** A server that reports the window of the loaded model knows more than any catalogue. */
const hasOwnWord = ({ capabilities }: ProviderConfig): boolean => capabilities.windowFrom !== 'list';
/** The catalogue does not know the model, so its server's facts count. */
const isFromServer = ({ guessed }: ModelRecord): boolean => guessed;

function isHere({ baseUrl }: ProviderConfig): boolean {
  const host = normaliseHost(new URL(baseUrl).hostname);
  return host !== undefined && isThisMachine(host);
}

/** Known facts stay if the server did not answer or only named the model. `model`: the one asked about. */
export function mergeAskedModels(
  kept: KeptModels | undefined,
  found: AskedModels,
  { now, model }: { readonly now: number; readonly model?: string },
): KeptModels {
  const before = isFromSameServer(kept, found.from) ? kept : undefined;
  const { models: known = [], etag } = before ?? {};
  const from = found.from ?? before?.from;
  const marked = (each: KeptModel): KeptModel => (each.slug === model ? { ...each, asked: true } : each);
  if (found.kind === 'unknown') return { askedAt: now, models: known, etag, from };
  if (found.kind === 'unchanged') return { askedAt: now, models: known.map(marked), etag, from };
  const fresh = found.models.map((each): KeptModel => {
    const [kept, old] = [keptOf(each), known.find(({ slug }) => slug === each.slug)];
    if (old === undefined) return kept;
    return kept.record === undefined && Object.keys(kept.fields).length === 0 ? old : { ...kept, asked: old.asked };
  });
  const others = found.etag === undefined ? known.filter(({ slug }) => !fresh.some((each) => each.slug === slug)) : [];
  return { askedAt: now, models: [...others, ...fresh.map(marked)], etag: found.etag, from };
}

function keptOf({ slug, source, record, pictures, contextWindow, maxOutputTokens }: ServerModel): KeptModel {
  const modalities = pictures === undefined ? undefined : pictures ? ['text', 'image'] : ['text'];
  return { slug, source, fields: defined({ contextWindow, maxOutputTokens, modalities }), record };
}
