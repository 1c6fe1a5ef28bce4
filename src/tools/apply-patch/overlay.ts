import { parentOf } from '../../policy/paths.ts';
import { defined } from '../../protocol/defined.ts';
import type { PatchView, PatchSight } from '../../ports/patch-disk.ts';

/** The disk as it will be: what is written here is seen by later looks, and by no other process. */
export interface Overlay extends PatchView {
  write(place: string, content: Uint8Array): void;
  makeFolder(place: string): void;
  remove(place: string): void;
}

export function overlayOn(disk: PatchView): Overlay {
  const sights = new Map<string, PatchSight>();
  /** By identity, so that a change through one name of a file is seen through the others. */
  const contents = new Map<string, Uint8Array>();
  let made = 0;

  const look = (place: string): PatchSight => {
    const sight = sights.get(place) ?? disk.look(place);
    sights.set(place, sight);
    return sight;
  };
  return {
    look,
    read(place) {
      const sight = look(place);
      const written = sight.kind === 'file' ? contents.get(sight.identity) : undefined;
      return written ?? disk.read(place);
    },
    write(place, content) {
      let sight = look(place);
      if (sight.kind !== 'file') {
        sight = { kind: 'file', identity: `new ${made++}`, mode: 0 };
        sights.set(place, sight);
      }
      contents.set(sight.identity, content);
    },
    makeFolder(place) {
      const above = look(parentOf(place));
      // What is missing in it has been missing since names in the folder above last came or went.
      const since = above.kind === 'folder' ? above.since : undefined;
      sights.set(place, { kind: 'folder', ...defined({ since }) });
    },
    remove: (place) => void sights.set(place, { kind: 'missing' }),
  };
}
