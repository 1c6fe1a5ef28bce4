import { asItem, type Item } from '../../protocol/item.ts';
import { type Json, nestsDeeperThan } from '../../protocol/json.ts';

/** Other programs read no deeper line, and an item is three levels below its own. */
const deepestItem = 100;

/** An item as a server gives it; undefined when it is none, or one that could not be read back. */
export function readableItem(value: Json | undefined): Item | undefined {
  return value === undefined || nestsDeeperThan(deepestItem, value) ? undefined : asItem(value);
}
