/** What a call may do beyond the sandbox of its turn. Paths are absolute. */
export interface ExtraPermissions {
  readonly network?: true;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}
