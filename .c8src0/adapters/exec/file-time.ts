const fs = process.getBuiltinModule('node:fs');

export interface FileTime {
  /** Every later change gets this timestamp or a greater one. */
  readonly earliest: number;
  /** Every earlier change has this timestamp or a smaller one. */
  readonly latest: number;
}

/** Linux's `__O_TMPFILE`, which Node does not name. Works only together with `O_DIRECTORY`. */
const namelessFile = 0o20000000 | fs.constants.O_DIRECTORY | fs.constants.O_RDWR;
/** The kernels' clock for file timestamps moves every 1 to 10 ms. */
const coarsestTickMs = 10;

/** Now, if possible by the file system's own clock, which may be a server's. Watchers do not notice a nameless file. */
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
    // Some file systems cannot do it, and some folders are not writable for us.
    return undefined;
  }
  try {
    return fs.fstatSync(file).ctimeMs;
  } finally {
    fs.closeSync(file);
  }
}
