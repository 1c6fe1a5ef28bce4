const fs = process.getBuiltinModule('node:fs');

/** A moment by the clock that stamps files. */
export interface FileTime {
  /** What changes from now on bears no earlier time. */
  readonly earliest: number;
  /** What changed until now bears no later time. */
  readonly latest: number;
}

/** Linux's `__O_TMPFILE`; Node has no name for it. It only counts together with `O_DIRECTORY`. */
const namelessFile = 0o20000000 | fs.constants.O_DIRECTORY | fs.constants.O_RDWR;
/** Kernels stamp files by a clock that moves every 1 to 10 ms. */
const coarsestTickMs = 10;

/**
 * Asks the file system itself: the kernel's clock for files lags behind the time of day, and a server's differs from
 * it. A file without a name gets a stamp like any other, and neither its folder nor a watcher of it notices.
 */
export function fileTime(folder: string): FileTime {
  const stamp = process.platform === 'linux' ? stampIn(folder) : undefined;
  if (stamp !== undefined) return { earliest: stamp, latest: stamp };
  const now = Date.now();
  return { earliest: now - coarsestTickMs, latest: now + 1 };
}

function stampIn(folder: string): number | undefined {
  let file: number;
  try {
    file = fs.openSync(folder, namelessFile, 0o600);
  } catch {
    // Some file systems cannot, and some folders are not ours to write in.
    return undefined;
  }
  try {
    return fs.fstatSync(file).ctimeMs;
  } finally {
    fs.closeSync(file);
  }
}
