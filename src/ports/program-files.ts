/** What a look-up of programs asks about the disk. */
export interface ProgramFiles {
  /** Where the path leads when its links are followed; undefined when there is nothing. */
  place(path: string): string | undefined;
  /** The same for a file that this user may execute; undefined for anything else. */
  program(path: string): string | undefined;
  /** Whether users other than this one and root can put programs into the folder, or another folder in its place. */
  isWritableByOthers(folder: string): boolean;
}

/** Finds the programs that the engine starts itself: by a path that no command could have written, or not at all. */
export interface Programs {
  find(name: string): string | undefined;
}
