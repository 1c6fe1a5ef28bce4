/** What a call may do beyond the sandbox of its turn. Paths are absolute and lead through no link. */
export interface ExtraPermissions {
  readonly network?: true;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** How paths were spelled that led through links, by where they lead. For people alone. */
  readonly spelled?: Readonly<Record<string, string>>;
}
