import { isJsonObject, type Json, type JsonObject, stringAt } from './json.ts';

/** Which provider it is. The id alone is a name in one user's configuration; with the address it is one server. */
export interface ProviderName {
  readonly id: string;
  /** Where it is reached, without anything secret. Absent: not recorded, as in files of other programs. */
  readonly address?: string;
}

/** Another address under the same id is another provider. Where one of the two has none, the id decides. */
export function isSameProvider(one: ProviderName, other: ProviderName): boolean {
  if (one.id !== other.id) return false;
  return one.address === undefined || other.address === undefined || one.address === other.address;
}

export function providerName(id: string, address: string | undefined): ProviderName {
  return address === undefined ? { id } : { id, address };
}

export function readProviderName(value: Json | undefined): ProviderName | undefined {
  const id = isJsonObject(value) ? stringAt(value, 'id') : undefined;
  return id === undefined || id.trim() === '' ? undefined : providerName(id, stringAt(value as JsonObject, 'address'));
}
