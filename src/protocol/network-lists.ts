/** Which hosts commands may reach. Present only where a profile or a rule names hosts: then commands reach them through the proxy, and nothing else. */
export interface NetworkLists {
  /** Exact hosts, `*.x.y` (below it), `**.x.y` (it and below), `*` (any). May end in `:port`. */
  readonly allow: readonly string[];
  /** As above, without `*`. Wins over `allow`. */
  readonly deny: readonly string[];
  /** Whether addresses of this machine and of private networks may be reached. */
  readonly local: boolean;
  /** `reading`: GET, HEAD and OPTIONS alone. */
  readonly methods: 'any' | 'reading';
}
