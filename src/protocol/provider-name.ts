import { defined } from '../base/objects.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from './json.ts';

/** Which provider it is. The id alone is a name in one user's configuration; with the address it is one server. */
export interface ProviderName {
  readonly id: string;
  /** Where it is reached, without anything secret. Absent: not recorded, as in files of other programs. */
  readonly address?: string;
  /** Its wire format, where that is another one than Responses: what only a maker can read, it can read in its own format. */
  readonly wire?: string;
  /** The model that is asked there, where the format is another one than Responses: some thoughts are for one alone. */
  readonly model?: string;
  /** Models of one provider with different values do not read each other's opaque items. Absent: it is taken to. */
  readonly compatibility?: string;
}

/** Another address or format under the same id is another provider. Where one has no address, the rest decides. */
export function isSameProvider(one: ProviderName, other: ProviderName): boolean {
  if (one.id !== other.id || one.wire !== other.wire) return false;
  return one.address === undefined || other.address === undefined || one.address === other.address;
}

/** Whether it can read opaque items of the maker: the same provider, with models that are compatible as far as both say. */
export function readsOpaque(reader: ProviderName, maker: ProviderName): boolean {
  const compatibilities = new Set([reader.compatibility, maker.compatibility]);
  return isSameProvider(maker, reader) && (compatibilities.size === 1 || compatibilities.has(undefined));
}

/** Whether the same model is asked at the same provider, as far as both say. */
export function isSameModel(one: ProviderName, other: ProviderName): boolean {
  return isSameProvider(one, other) && (one.model ?? other.model) === (other.model ?? one.model);
}

export function providerName(
  id: string,
  { address, wire, model, compatibility }: Partial<Omit<ProviderName, 'id'>>,
): ProviderName {
  if (wire === undefined || wire === 'responses') return { id, ...defined({ address, compatibility }) };
  return { id, ...defined({ address }), wire, ...defined({ model, compatibility }) };
}

/** Tells apart what `isSameModel` and `readsOpaque` tell apart, and more finely: whose address is not known is not who has one. */
export function providerKey(name: ProviderName | undefined): string {
  return JSON.stringify(name === undefined ? null : [name.id, name.address, name.wire, name.model, name.compatibility]);
}

export function readProviderName(value: Json | undefined): ProviderName | undefined {
  const id = isJsonObject(value) ? stringAt(value, 'id') : undefined;
  if (id === undefined || id.trim() === '') return undefined;
  const [address, wire, model, compatibility] = ['address', 'wire', 'model', 'compatibility'].map((key) =>
    stringAt(value as JsonObject, key),
  );
  return providerName(id, defined({ address, wire, model, compatibility }));
}
