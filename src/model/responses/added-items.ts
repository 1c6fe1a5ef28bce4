import type { Item } from '../../protocol/item.ts';

/** Items that a stream announced and did not finish yet. */
export function addedItems() {
  let open: { readonly id: string; readonly type: string; readonly outputIndex: number | undefined }[] = [];
  return {
    remember(item: Item, outputIndex: number | undefined): void {
      const id = item['id'];
      if (typeof id === 'string' && id !== '') open.push({ id, type: item.type, outputIndex });
    },
    /** The id under which a finished item was announced, if it was. */
    take(item: Item, outputIndex: number | undefined): string | undefined {
      // By position where the server counts, else by order: items of one type finish in the order they were announced.
      const own = item['id'];
      const counted = (index: number | undefined): boolean => index !== undefined && outputIndex !== undefined;
      const found =
        open.find((entry) => entry.id === own) ??
        open.find((entry) => counted(entry.outputIndex) && entry.outputIndex === outputIndex) ??
        open.find((entry) => !counted(entry.outputIndex) && entry.type === item.type);
      open = open.filter((entry) => entry !== found);
      return found?.id;
    },
    /** The id of the newest item of a type that is being written. */
    open: (type: string): string | undefined => open.findLast((entry) => entry.type === type)?.id,
  };
}
