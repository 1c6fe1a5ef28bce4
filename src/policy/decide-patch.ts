import { defined } from '../protocol/defined.ts';
import { access } from './access.ts';
import type { CallNeeds, NeededPath } from './approval.ts';
import { type CallDecision, canAskAbout, type DecisionContext, whyNotAsked } from './call-decision.ts';
import { grantedPolicy, isNeverGranted, isNoPermission, standingPermissions } from './granted-policy.ts';
import { coversAll, fileKey } from './grants.ts';
import { withKeptBesideGit } from './kept-places.ts';
import { parentOf } from './paths.ts';

/**
 * A patch asks where one of its files may not be written, and under `untrusted` always. It then gets the folders of
 * those files and no more. Where the user cannot be asked it runs, and its own guard refuses what it must not touch:
 * that answer names what may be written.
 */
export function decidePatch(context: DecisionContext, { paths = [], kept, escalation }: CallNeeds): CallDecision {
  const { approval, policy, grants } = context;
  const standing = standingPermissions(policy, grants);
  const usual = isNoPermission(standing) ? {} : { extra: standing };
  const open = withKeptBesideGit(grantedPolicy(policy, { where: 'sandbox', ...usual }), kept);
  const written = paths.filter((needed) => needed.access === 'write');
  const unwritable = written.filter(({ path }) => access(open, path) !== 'write');
  const closed = unwritable.map(placeOf);
  const run = { kind: 'run', where: 'sandbox', ...usual } as const;
  const asksAnyway = approval === 'untrusted';
  if (!asksAnyway && closed.length === 0) return run;
  // No answer would let it be written.
  const paired = unwritable.flatMap((needed) => [needed.path, placeOf(needed)]);
  if (paired.some((path) => isNeverGranted(policy, path, 'write'))) return run;
  if (!canAskAbout(context, 'sandbox')) {
    if (!asksAnyway) return run;
    return { kind: 'refuse', why: whyNotAsked(context, 'sandbox'), next: 'Tell the user what is needed.' };
  }
  const write = [...new Set(closed.map(parentOf))];
  const permissions = write.length === 0 ? undefined : { write };
  // The folder as it is spelled is opened as well: a patch is held to both.
  const opened = [...new Set([...write, ...unwritable.map(({ path }) => parentOf(path))])];
  const extra = write.length === 0 ? usual.extra : { ...standing, write: [...(standing.write ?? []), ...opened] };
  const grantKeys = [...new Set(asksAnyway ? written.map(placeOf) : closed)].map(fileKey);
  const granted = { where: 'sandbox', ...defined({ extra }) } as const;
  if (coversAll(grants, grantKeys)) return { kind: 'run', ...granted };
  return {
    kind: 'ask',
    question: {
      kind: 'patch',
      reason: reasonOf(closed),
      ...defined({ justification: escalation?.reason, permissions }),
      paths,
      scopes: ['call', 'session'],
    },
    ...granted,
    grantKeys,
  };
}

/** A yes is about this file: the path may lead to another one later. */
function placeOf({ path, place = path }: NeededPath): string {
  return place;
}

function reasonOf(closed: readonly string[]): string {
  const [first, ...others] = closed;
  if (first === undefined) {
    return 'The approval policy is untrusted: Capstan asks about each patch. Commands may write all of its files.';
  }
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `The sandbox does not let it write ${JSON.stringify(first)}${more}.`;
}
