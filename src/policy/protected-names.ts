/** Folders that decide what programs do later: read-only directly below what may be written, there or not. */
export const protectedNames: readonly string[] = ['.git', '.agents', '.codex', '.aws', '.capstan'];

/** Git reads hooks and settings from these wherever they stand, so they are kept at any depth of what may be written. */
export const namesKeptAnywhere: readonly string[] = ['.git'];

/** The names that shared profiles spell out. Our own is protected all the same, without an entry that others would read. */
export const sharedProtectedNames: readonly string[] = ['.git', '.agents', '.codex', '.aws'];

/** Git takes a folder with this file, and two folders beside it, as a repository. */
export const bareRepositoryName = 'HEAD';

/** What a sandbox may have to make on the host to keep a command from making it. */
export const mountPointNames: readonly string[] = [...protectedNames, bareRepositoryName];
