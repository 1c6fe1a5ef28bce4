/** How one place looks to a command. */
export type Mount =
  | { readonly kind: 'writable' | 'read-only' | 'unreadable-file' }
  | { readonly kind: 'empty-folder'; readonly mode: '000' | '111' | '555' }
  | { readonly kind: 'link'; readonly target: string };

/** The same as options of bubblewrap. */
export function mountOptions(path: string, mount: Mount): readonly string[] {
  switch (mount.kind) {
    case 'writable':
      return ['--bind', path, path];
    case 'read-only':
      return ['--ro-bind', path, path];
    case 'unreadable-file':
      // A device on a mount without devices: opening it is refused to every process.
      return ['--ro-bind', '/dev/null', path];
    case 'empty-folder':
      return ['--perms', mount.mode, '--tmpfs', path];
    case 'link':
      return ['--symlink', mount.target, path];
  }
}
