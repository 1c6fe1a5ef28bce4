import type { Settings } from '../../envelope/settings.ts';
import { findRepository, readGitFacts } from '../../gather/git/git.ts';
import { findPlaces } from '../../gather/system/places.ts';
import { readGuard } from '../../gather/files/read-guard.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Variables } from '../../protocol/variables.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';

/** What the first line of a thread says about the repository around its folder, as far as the policy lets it be read. */
export function gitFacts({ cwd, profile }: Pick<Settings, 'cwd' | 'profile'>, env: Variables): JsonObject | undefined {
  const root = findRepository(cwd);
  if (root === undefined) return undefined;
  const { deniesUser } = readGuard(resolvePolicy(profile, findPlaces(cwd, env, { own: noOwnPlaces })));
  return readGitFacts(root, { denies: deniesUser }) as JsonObject;
}
