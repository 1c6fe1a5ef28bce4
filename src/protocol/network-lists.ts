/** Which hosts commands may reach. Present only where a profile or a rule names hosts: then commands reach them through the proxy, and nothing else. */
export interface NetworkLists {
  /** Exact hosts, `*.x.y` (below it), `**.x.y` (it and below), `*` (any). May end in `:port`. */
  readonly allow: readonly string[];
  /** As above, without `*`. Wins over everything. */
  readonly deny: readonly string[];
  /** Exact hosts that a rule asks about, whether `allow` has them or not. Absent: none. No profile has it. */
  readonly ask?: readonly string[];
  /** The hosts of `deny` that a rule denies, with its reason. Absent: none. No profile has it. */
  readonly ruled?: readonly DeniedByRule[];
  /** What answers opened, as `host:port`: as far as an answer can, whether a list has it or not. Absent: nothing. No profile has it. */
  readonly granted?: readonly string[];
  /** Whether addresses of this machine and of private networks may be reached. */
  readonly local: boolean;
  /** `reading`: GET, HEAD and OPTIONS alone. */
  readonly methods: 'any' | 'reading';
}

/** A host that a rule denies. */
export interface DeniedByRule {
  readonly host: string;
  /** In the words of the rule. Absent: it has none. */
  readonly why?: string;
}
