import { join } from 'node:path';
import type { KnownFields, KnownModel } from '../../envelope/model-record.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../../disk/own-file.ts';
import { defined } from '../../protocol/defined.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { plainDigest } from '../../base/digest.ts';
import type { ModelsOwner } from './models-owner.ts';

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
export type KeptSort = 'said' | 'tested';

/** What is known of models, in the home, by provider: no provider's models are taken for another's. */
export interface ModelFiles {
  read(owner: ModelsOwner, sort: KeptSort): KeptModels | undefined;
  /** Whether it is kept. Without a file the server is asked again, and nothing else is lost. */
  write(owner: ModelsOwner, sort: KeptSort, kept: KeptModels): boolean;
  /** Where it is. */
  pathOf(owner: ModelsOwner, sort: KeptSort): string;
}

/** Whether what is kept came from there, as far as both are known. */
export function isFrom(kept: Pick<KeptModels, 'from'> | undefined, from: string | undefined): boolean {
  return kept?.from === undefined || from === undefined || kept.from === from;
}

const mostBytes = 16_000_000;

export function modelFiles(home: string): ModelFiles {
  const folder = join(home, 'capstan/models');
  const pathOf = ({ id, address, isByLogin }: ModelsOwner, sort: KeptSort): string => {
    const owner = JSON.stringify(isByLogin === true ? [id, address, 'login'] : [id, address]);
    return join(folder, `${id.replaceAll(/[^\w.-]+/g, '_').slice(0, 60)}-${plainDigest(owner, 8)}.${sort}.json`);
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
