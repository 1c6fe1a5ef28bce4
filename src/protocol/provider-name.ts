import { defined } from '../base/objects.ts';
import { isJsonObject, type Json, stringAt } from './json.ts';

/** The id alone is a name in one user's configuration; with the address it is one server. */
export interface ProviderName {
  readonly id: string;
  /** Contains no secrets. Absent: not recorded, as in files of other programs. */
  readonly address?: string;
  /** The wire format if it is not Responses: opaque items can be read only by their maker in its own format. */
  readonly wire?: string;
  /** The model, if the format is not Responses: some reasoning can be read by one model only. */
  readonly model?: string;
  /** Models of one provider with different values cannot read each other's opaque items. Absent: assumed compatible. */
  readonly compatibility?: string;
}

/** Another address or format under the same id is another provider. If one has no address, the rest decides. */
export function isSameProvider(one: ProviderName, other: ProviderName): boolean {
  if (one.id !== other.id || one.wire !== other.wire) return false;
  return one.address === undefined || other.address === undefined || one.address === other.address;
}

/** True for the same provider with compatible models, as far as both are known. */
export function canReadOpaqueItems(reader: ProviderName, maker: ProviderName): boolean {
  const compatibilities = new Set([reader.compatibility, maker.compatibility]);
  return isSameProvider(maker, reader) && (compatibilities.size === 1 || compatibilities.has(undefined));
}

/** True for the same model at the same provider, as far as both are known. */
export const isSameModel = (one: ProviderName, other: ProviderName): boolean =>
  isSameProvider(one, other) && (one.model ?? other.model) === (other.model ?? one.model);

export function providerName(id: string, more: Partial<Omit<ProviderName, 'id'>>): ProviderName {
  const { address, wire, model, compatibility } = more;
  if (wire === undefined || wire === 'responses') return { id, ...defined({ address, compatibility }) };
  return { id, ...defined({ address }), wire, ...defined({ model, compatibility }) };
}

/** Distinguishes everything that `isSameModel` and `canReadOpaqueItems` do, and also a known address from an unknown one. */
export const providerComparisonKey = (name: ProviderName | undefined): string =>
  JSON.stringify(name === undefined ? null : [name.id, name.address, name.wire, name.model, name.compatibility]);

const nameKeys = ['id', 'address', 'wire', 'model', 'compatibility'];

export function readProviderName(value: Json | undefined): ProviderName | undefined {
  if (!isJsonObject(value)) return undefined;
  const [id = '', address, wire, model, compatibility] = nameKeys.map((key) => stringAt(value, key));
  return id.trim() === '' ? undefined : providerName(id, { address, wire, model, compatibility });
}
