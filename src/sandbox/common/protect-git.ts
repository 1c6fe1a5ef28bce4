import { keptPlaces } from '../../policy/kept-places.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { PathRule, ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { unenforceable } from './unenforceable.ts';

/** Each takes a mount, and so does every folder above it. Bubblewrap takes up to half a second for as many, and far longer for more. */
const mostGitFolders = 200;

/**
 * The policy as a sandbox can enforce it: in the place of names that are kept at any depth there is a rule for each
 * place that the walk found in what may be written, unless one stands there already.
 */
export function protectGit(policy: ResolvedPolicy, gitFolders: readonly string[]): ResolvedPolicy | SandboxRefused {
  const { files } = policy;
  if (files.kind === 'unrestricted') return policy;
  const rules = files.rules.map(({ keeps: _keeps, ...rule }): PathRule => rule);
  const added = keptPlaces(rules, gitFolders);
  if (added.length > mostGitFolders) {
    return unenforceable({
      message: `Git repositories have ${added.length} folders and files that commands must not change, and the sandbox can protect at most ${mostGitFolders}.`,
      next: 'Work in a folder with fewer repositories, or make a smaller folder writable.',
    });
  }
  return { ...policy, files: { ...files, rules: [...rules, ...added] } };
}
