/** What the user decided about a project. Unknown is no decision, which is not the same as either. */
export type Trust = 'trusted' | 'untrusted' | 'unknown';

/** The decisions as they are configured, by folder. */
export type ProjectDecisions = Readonly<Record<string, { readonly trustLevel?: Exclude<Trust, 'unknown'> }>>;

export interface TrustDecision {
  readonly trust: Trust;
  /** The configured folder that decided. */
  readonly folder?: string;
  /** A part of a trusted project that commands under Landlock may have changed. Until the user agrees to it, trust is unknown. */
  readonly changed?: string;
}

/** The decision for the first of the folders about which there is one. */
export function decideTrust(decisions: ProjectDecisions, folders: readonly string[]): TrustDecision {
  const byFolder = new Map(
    Object.entries(decisions).map(([folder, decision]) => [plain(folder), { folder, decision }]),
  );
  for (const candidate of folders) {
    const found = byFolder.get(plain(candidate));
    if (found?.decision.trustLevel !== undefined) return { trust: found.decision.trustLevel, folder: found.folder };
  }
  return { trust: 'unknown' };
}

/** Without a slash at its end, unless it is the root. */
function plain(folder: string): string {
  let end = folder.length;
  while (end > 1 && folder[end - 1] === '/') end--;
  return folder.slice(0, end);
}
