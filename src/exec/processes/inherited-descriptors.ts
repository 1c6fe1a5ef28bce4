import { openSync, readFileSync } from 'node:fs';
import { namesIn } from '../../disk/folders.ts';

type Standard = 'ignore' | 'pipe' | 'ipc' | number;

/**
 * Descriptors that children of this process would get without being given them, because our parent left them open. An
 * open folder among them would be a door out of every sandbox.
 */
export interface InheritedDoors {
  /** What a child gets as its descriptors, with something harmless in the place of every door. */
  shut(given: readonly Standard[]): Standard[];
  /** One more, until what it gives is called: a library opened it in a way that children would get it. */
  add(descriptor: number): () => void;
}

const closeOnExec = 0o2000000;

let found: InheritedDoors | undefined;

/** Doors of this process, listed once: Node opens no descriptor that children inherit. */
export function inheritedDoors(): InheritedDoors {
  return (found ??= findInheritedDoors());
}

/** Linux only; elsewhere it finds none. */
function findInheritedDoors(): InheritedDoors {
  const doors = new Set(
    namesIn('/proc/self/fdinfo')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInherited(descriptor)),
  );
  let nothing = -1;
  return {
    shut(given) {
      // A number that was closed and is in use again may be the pipe on which the new process reports that it could not start.
      for (const door of doors) if (!isInherited(door)) doors.delete(door);
      if (doors.size > 0 && nothing < 0) nothing = openSync('/dev/null', 'r');
      const length = Math.max(given.length, ...[...doors].map((door) => door + 1));
      // Node can give a child a descriptor, and it cannot take one away. An ignored entry beyond the third stays as it is.
      const shut = Array.from({ length }, (_, index) => given[index] ?? 'ignore');
      for (const door of doors) if (door >= given.length) shut[door] = nothing;
      return shut;
    },
    add(descriptor) {
      doors.add(descriptor);
      return () => void doors.delete(descriptor);
    },
  };
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // Closed in the meantime, as the one is with which the list was read.
    return false;
  }
}
