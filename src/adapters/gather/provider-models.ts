import { textHash } from '../../base/digest.ts';
import { defined } from '../../base/objects.ts';
import type { Config } from '../../core/config/config.ts';
import { providerAddress, type ProviderConfig } from '../../core/config/providers/provider-config.ts';
import type {
  Catalogue,
  CatalogueEntry,
  KnownFields,
  KnownModel,
  ProviderLimits,
} from '../../core/envelope/model-record.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { Variables } from '../../protocol/shell.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../disk/own-files.ts';
import { catalogueEntry } from './model-catalogue-file.ts';
import { join } from 'node:path';

interface KnownOfProvider {
  readonly provider: Pick<ProviderConfig, 'id' | 'capabilities'>;
  /** What the server said. */
  readonly said?: KeptModels | undefined;
  /** What tests found. It stands over what the server said. */
  readonly tested?: KeptModels | undefined;
}

/** What the home holds of a provider's models. A file of the user's that describes all models counts alone. */
export function loadKeptProviderModels(
  home: string,
  { provider, config, environment }: CatalogueOwner,
): Pick<KnownOfProvider, 'said' | 'tested'> {
  if (config.modelCatalogJson !== undefined) return {};
  const files = modelFiles(home);
  const owner = modelsOwner(provider, environment);
  return { said: files.read(owner, 'said'), tested: files.read(owner, 'tested') };
}

interface CatalogueOwner {
  readonly provider: ProviderConfig;
  readonly config: Pick<Config, 'modelCatalogJson'>;
  /** Says whether a key or the login counts. */
  readonly environment: Variables;
}

/** The catalogue of one provider, with what is kept of its models. No server is asked. */
export function loadCatalogueOfProvider(home: string, described: Catalogue, owner: CatalogueOwner): Catalogue {
  return catalogueOfProvider(described, { provider: owner.provider, ...loadKeptProviderModels(home, owner) });
}

/** The catalogue with what is known of one provider and its models. */
export function catalogueOfProvider(base: Catalogue, { provider, said, tested }: KnownOfProvider): Catalogue {
  const records = (said?.models ?? []).flatMap(({ record }) => {
    const entry = record && catalogueEntry(record, base.fallback);
    return entry === undefined || 'expected' in entry ? [] : [entry];
  });
  const isNew = ({ slug }: CatalogueEntry): boolean => !records.some((record) => record.slug === slug);
  const [first, ...others] = base.models;
  const own = records.find(({ slug }) => slug === first.slug) ?? first;
  const plain = (said?.models ?? []).filter(({ record }) => record === undefined);
  return {
    ...base,
    models: [own, ...others.filter(isNew), ...records.filter(({ slug }) => slug !== first.slug)],
    known: [...plain, ...(tested?.models ?? [])],
    limits: limitsOf(provider),
  };
}

function limitsOf({ id, capabilities }: KnownOfProvider['provider']): ProviderLimits {
  return {
    source: `provider ${id}`,
    ...(capabilities.pictures ? {} : { pictures: false }),
    ...(capabilities.parallelCalls ? {} : { parallelCalls: false }),
  };
}

/** What a server said of its models, as it is kept. */
export interface KeptModels {
  /** When it was asked last, in milliseconds. */
  readonly askedAt: number;
  readonly etag?: string;
  /** Under which kind of key, and where. Another one has another list. Older files do not say it. */
  readonly from?: string;
  readonly models: readonly KeptModel[];
}

export interface KeptModel extends KnownModel {
  /** A whole record in the form of a catalogue. */
  readonly record?: JsonObject;
  /** The server was asked about this model and has it. Absent: what is known of it stood in a list. */
  readonly asked?: true;
}

/** `said`: by the server. `tested`: by `capstan models test`. */
export type KeptModelsSource = 'said' | 'tested';

/** What is known of models, in the home, by provider: no provider's models are taken for another's. */
export interface ModelFiles {
  read(owner: ModelsOwner, sort: KeptModelsSource): KeptModels | undefined;
  /** Whether it is kept. Without a file the server is asked again, and nothing else is lost. */
  write(owner: ModelsOwner, sort: KeptModelsSource, kept: KeptModels): boolean;
  /** Where it is. */
  pathOf(owner: ModelsOwner, sort: KeptModelsSource): string;
}

/** Whether what is kept came from there, as far as both are known. */
export function isFromOwner(kept: Pick<KeptModels, 'from'> | undefined, from: string | undefined): boolean {
  return kept?.from === undefined || from === undefined || kept.from === from;
}

const mostBytes = 16_000_000;

export function modelFiles(home: string): ModelFiles {
  const folder = join(home, 'capstan/models');
  const pathOf = ({ id, address, isByLogin }: ModelsOwner, sort: KeptModelsSource): string => {
    const owner = JSON.stringify(isByLogin === true ? [id, address, 'login'] : [id, address]);
    return join(folder, `${id.replaceAll(/[^\w.-]+/g, '_').slice(0, 60)}-${textHash(owner, 8)}.${sort}.json`);
  };
  return {
    pathOf,
    read(owner, sort) {
      const found = readOwnFile(pathOf(owner, sort), { maxBytes: mostBytes, toOthers: 'closed' });
      return found && keptModels(parseJsonObject(found.bytes.toString('utf8')));
    },
    write(owner, sort, { askedAt, etag, from, models }) {
      const path = pathOf(owner, sort);
      const value = {
        provider: owner.id,
        address: owner.address,
        asked_at: askedAt,
        ...defined({ etag, from }),
        models,
      };
      try {
        if (!makeOwnFolder(folder, 'closed')) return false;
        writeOwnFile(path, `${path}.${process.pid}`, JSON.stringify(value));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** What cannot be read is as if it were not there. */
function keptModels(json: JsonObject | undefined): KeptModels | undefined {
  const [askedAt, list] = [numberAt(json ?? {}, 'asked_at'), arrayAt(json, 'models')];
  if (json === undefined || askedAt === undefined || list === undefined) return undefined;
  const models = list.flatMap((each) => (isJsonObject(each) ? keptModel(each) : []));
  return { askedAt, models, ...defined({ etag: stringAt(json, 'etag'), from: stringAt(json, 'from') }) };
}

function keptModel(json: JsonObject): readonly KeptModel[] {
  const [slug, source, fields, record] = [json['slug'], json['source'], json['fields'], json['record']];
  if (typeof slug !== 'string' || typeof source !== 'string' || !isJsonObject(fields)) return [];
  const asked = json['asked'] === true ? { asked: true as const } : {};
  return [{ slug, source, fields: knownFields(fields), ...(isJsonObject(record) ? { record } : {}), ...asked }];
}

function knownFields(json: JsonObject): KnownFields {
  const tokens = (key: string): number | undefined => {
    const value = json[key];
    return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
  };
  const modalities = arrayAt(json, 'modalities');
  const { parallelCalls } = json;
  return defined({
    contextWindow: tokens('contextWindow'),
    maxOutputTokens: tokens('maxOutputTokens'),
    modalities: modalities?.every((each) => typeof each === 'string') === true ? modalities : undefined,
    parallelCalls: typeof parallelCalls === 'boolean' ? parallelCalls : undefined,
  });
}

/** Who is asked for models: the same id at another address is another provider, and so is it under a login. */
export interface ModelsOwner {
  readonly id: string;
  /** Without anything secret. */
  readonly address: string;
  /** Requests go by the login of the home. A plan has other models than a key, at one address too. */
  readonly isByLogin?: true;
}

/** Whose models are meant, as far as it can be known without looking at the login. */
export function modelsOwner(provider: ProviderConfig, environment: Variables): ModelsOwner {
  const { id, envKeys, login, tokenCommand } = provider;
  const isKeySet = envKeys.some((name) => (environment[name] ?? '').trim() !== '');
  const isByLogin = login !== undefined && tokenCommand === undefined && !isKeySet;
  return { id, address: providerAddress(provider), ...(isByLogin && { isByLogin }) };
}
