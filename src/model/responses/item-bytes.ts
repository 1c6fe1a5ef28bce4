import type { Item } from '../../protocol/item.ts';

/** Housekeeping of another program, found in its files. Providers refuse it. */
const foreignKey = 'internal_chat_message_metadata_passthrough';

/**
 * The JSON text of an item as it goes over the wire: the stored object, key order and unknown keys included, without
 * what a provider would refuse. The stored object keeps all of it.
 */
export function itemText(item: Item): string {
  const dropId = Object.hasOwn(item, 'id') && !isProviderId(item['id']);
  if (!dropId && !Object.hasOwn(item, foreignKey)) return JSON.stringify(item);
  const kept = Object.entries(item).filter(([key]) => key !== foreignKey && !(dropId && key === 'id'));
  // fromEntries defines its members, so that even a key like __proto__ comes through as what it is.
  return JSON.stringify(Object.fromEntries(kept));
}

/** Providers take back only ids of the shape they give out, `prefix_suffix`. */
function isProviderId(id: unknown): boolean {
  if (typeof id !== 'string') return false;
  const separator = id.indexOf('_');
  return separator > 0 && separator < id.length - 1;
}
