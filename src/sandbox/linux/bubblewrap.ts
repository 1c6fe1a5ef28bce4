/** A bubblewrap that works on this machine, and what it can do here. */
export interface Bubblewrap {
  readonly kind: 'bubblewrap';
  readonly path: string;
  /** It can keep commands from making user namespaces of their own. */
  readonly closesUserNamespaces: boolean;
  /** The kernel lets a sandbox mount a process table; inside some containers it does not. */
  readonly ownProcessTable: boolean;
}
