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
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../disk/own-files.ts';
import { catalogueEntry } from './model-catalogue-file.ts';
import { join } from 'node:path';

interface KnownOfProvider {
  readonly provider: Pick<ProviderConfig, 'id' | 'capabilities'>;
  readonly said?: KeptModels | undefined;
  /** Test results, which win over what the server said. */
  readonly tested?: KeptModels | undefined;
}

/** Loads what the home holds of a provider's models. A user's file that describes all models replaces this. */
export function loadKeptProviderModels(
  home: string,
  { provider, config, environment }: CatalogueOwner,
): Pick<KnownOfProvider, 'said' | 'tested'> {
  if (config.modelCatalogJson !== undefined) return {};
  const files = providerModelFiles(home);
  const owner = modelServerIdentity(provider, environment);
  return { said: files.read(owner, 'said'), tested: files.read(owner, 'tested') };
}

interface CatalogueOwner {
  readonly provider: ProviderConfig;
  readonly config: Pick<Config, 'modelCatalogJson'>;
  readonly environment: EnvironmentVariables;
}

/** The catalogue of one provider with what is stored of its models. Asks no server. */
export function loadCatalogueOfProvider(home: string, described: Catalogue, owner: CatalogueOwner): Catalogue {
  return catalogueOfProvider(described, { provider: owner.provider, ...loadKeptProviderModels(home, owner) });
}

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
  const { pictures, parallelCalls } = capabilities;
  const source = `provider ${id}`;
  return { source, ...(!pictures && { pictures }), ...(!parallelCalls && { parallelCalls }) };
}

export interface KeptModels {
  /** Time of the last request, in milliseconds. */
  readonly askedAt: number;
  readonly etag?: string;
  /** Kind of key and address: another combination has another list. Missing in older files. */
  readonly from?: string;
  readonly models: readonly KeptModel[];
}

export interface KeptModel extends KnownModel {
  /** A complete record in the form of a catalogue. */
  readonly record?: JsonObject;
  /** The server was asked about this model and has it. Absent: it was only in a list. */
  readonly asked?: true;
}

/** `said`: by the server. `tested`: by `capstan models test`. */
export type KeptModelsSource = 'said' | 'tested';
export type ProviderModelFiles = ReturnType<typeof providerModelFiles>;

/** Compares the origins as far as both are known. */
export function isFromSameServer(kept: Pick<KeptModels, 'from'> | undefined, from: string | undefined): boolean {
  return kept?.from === undefined || from === undefined || kept.from === from;
}

const mostBytes = 16_000_000;

export function providerModelFiles(home: string) {
  const folder = join(home, 'capstan/models');
  const pathOf = ({ id, address, isByLogin }: ModelServerIdentity, sort: KeptModelsSource): string => {
    const owner = JSON.stringify(isByLogin === true ? [id, address, 'login'] : [id, address]);
    return join(folder, `${id.replaceAll(/[^\w.-]+/g, '_').slice(0, 60)}-${textHash(owner, 8)}.${sort}.json`);
  };
  return {
    pathOf,
    read(owner: ModelServerIdentity, sort: KeptModelsSource): KeptModels | undefined {
      const found = readOwnFile(pathOf(owner, sort), { maxBytes: mostBytes, toOthers: 'closed' });
      return found && keptModels(parseJsonObject(found.bytes.toString('utf8')));
    },
    /** Returns whether it was saved. Without a file the server is asked again; nothing else is lost. */
    write(owner: ModelServerIdentity, sort: KeptModelsSource, { askedAt, etag, from, models }: KeptModels): boolean {
      const path = pathOf(owner, sort);
      const value = { provider: owner.id, address: owner.address, asked_at: askedAt, etag, from, models };
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

/** Unreadable content counts as missing. */
function keptModels(json: JsonObject | undefined): KeptModels | undefined {
  const [askedAt, list] = [numberAt(json ?? {}, 'asked_at'), arrayAt(json, 'models')];
  if (json === undefined || askedAt === undefined || list === undefined) return undefined;
  const models = list.flatMap((each) => (isJsonObject(each) ? keptModel(each) : []));
  return { askedAt, models, etag: stringAt(json, 'etag'), from: stringAt(json, 'from') };
}

function keptModel(json: JsonObject): readonly KeptModel[] {
  const [slug, source, fields, record] = [json['slug'], json['source'], json['fields'], json['record']];
  if (typeof slug !== 'string' || typeof source !== 'string' || !isJsonObject(fields)) return [];
  const asked = json['asked'] === true || undefined;
  return [{ slug, source, fields: knownFields(fields), record: isJsonObject(record) ? record : undefined, asked }];
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

/** Identifies whom Capstan asked for models. The same id with another address, or with the login, is another owner. */
export interface ModelServerIdentity {
  readonly id: string;
  /** Contains no secrets. */
  readonly address: string;
  /** Requests use the login of the home. A plan has other models than a key, even at the same address. */
  readonly isByLogin?: true;
}

/** The owner, as far as it is known without reading the login. */
export function modelServerIdentity(provider: ProviderConfig, environment: EnvironmentVariables): ModelServerIdentity {
  const { id, envKeys, login, tokenCommand } = provider;
  const isKeySet = envKeys.some((name) => (environment[name] ?? '').trim() !== '');
  const isByLogin = login !== undefined && tokenCommand === undefined && !isKeySet;
  return { id, address: providerAddress(provider), ...(isByLogin && { isByLogin }) };
}
