export type RuleDecision = 'allow' | 'prompt' | 'forbidden';

export interface PrefixRule {
  readonly pattern: readonly (string | readonly string[])[];
  readonly decision: RuleDecision;
  readonly justification?: string;
  /** file:line */
  readonly source: string;
}

export interface HostRule {
  readonly host: string;
  readonly protocol: 'http' | 'https' | 'socks5_tcp' | 'socks5_udp';
  readonly decision: RuleDecision;
  readonly justification?: string;
  readonly source: string;
}

/** Plain data: it is in the envelope. */
export interface RuleSet {
  readonly prefixes: readonly PrefixRule[];
  readonly hosts: readonly HostRule[];
  readonly executables: Readonly<Record<string, readonly string[]>>;
}

export const noRules: RuleSet = { prefixes: [], hosts: [], executables: {} };
