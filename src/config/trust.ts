/** What the user decided about a project. Unknown is no decision, which is not the same as either. */
export type Trust = 'trusted' | 'untrusted' | 'unknown';

/** The decisions as they are configured, by folder. */
export type ProjectDecisions = Readonly<Record<string, { readonly trustLevel?: Exclude<Trust, 'unknown'> }>>;

/** A process that may write a folder under Landlock now. */
export interface LandlockWriter {
  readonly pid: number;
  /** The registration of an engine in another container, whose processes cannot be seen from here. */
  readonly file?: string;
}

export interface TrustDecision {
  readonly trust: Trust;
  /** The configured folder that decided. */
  readonly folder?: string;
  /** The linked worktree through which the folder has the trust of its main checkout. */
  readonly link?: string;
  /** A part of a trusted project that commands under Landlock may have changed. Until the user agrees to it, trust is unknown. */
  readonly changed?: string;
  /** The part cannot be compared with what the user agreed to, so agreeing again does not help. */
  readonly isIncomparable?: true;
  /** The part is as the user agreed, but this process may change it at any moment: trust is unknown until it ends. */
  readonly writer?: LandlockWriter;
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
