import { defined } from './defined.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from './json.ts';

/** Which provider it is. The id alone is a name in one user's configuration; with the address it is one server. */
export interface ProviderName {
  readonly id: string;
  /** Where it is reached, without anything secret. Absent: not recorded, as in files of other programs. */
  readonly address?: string;
  /** Its wire format, where that is another one than Responses: what only a maker can read, it can read in its own format. */
  readonly wire?: string;
}

/** Another address or format under the same id is another provider. Where one has no address, the rest decides. */
export function isSameProvider(one: ProviderName, other: ProviderName): boolean {
  if (one.id !== other.id || one.wire !== other.wire) return false;
  return one.address === undefined || other.address === undefined || one.address === other.address;
}

export function providerName(id: string, { address, wire }: Partial<Omit<ProviderName, 'id'>>): ProviderName {
  return { id, ...defined({ address, wire: wire === 'responses' ? undefined : wire }) };
}

/** Tells apart what `isSameProvider` tells apart, and more finely: whose address is not known is not who has one. */
export function providerKey(name: ProviderName | undefined): string {
  return JSON.stringify(name === undefined ? null : [name.id, name.address, name.wire]);
}

export function readProviderName(value: Json | undefined): ProviderName | undefined {
  const id = isJsonObject(value) ? stringAt(value, 'id') : undefined;
  if (id === undefined || id.trim() === '') return undefined;
  const [address, wire] = ['address', 'wire'].map((key) => stringAt(value as JsonObject, key));
  return providerName(id, defined({ address, wire }));
}
