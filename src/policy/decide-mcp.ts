import { needsSandbox } from './access.ts';
import type { CallNeeds } from './approval.ts';
import { type CallDecision, canAskAbout, type DecisionContext, whyNotAsked } from './call-decision.ts';
import { coversAll, mcpToolDigest, mcpToolKey, wasGrantedOtherwise } from './grants.ts';
import { notOfferedWords } from './offered-answers.ts';
import { defined } from '../protocol/defined.ts';

type McpNeed = NonNullable<CallNeeds['mcp']>;

/**
 * A call of a server's tool, which acts where no sandbox holds it. The mode that is configured says when it is asked
 * about; by default that depends on what the server says of the tool, and a server that says nothing is taken to change
 * things. In a thread that changes nothing, neither a mode nor an earlier answer lets a tool run that may.
 */
export function decideMcp(context: DecisionContext, need: McpNeed): CallDecision {
  const { approval, policy, grants, changesNothing = false } = context;
  const { server, tool, mode } = need;
  const run = { kind: 'run', where: 'sandbox' } as const;
  const isFree = approval === 'never' && !needsSandbox(policy);
  const mayWrite = changesNothing && !onlyReads(need);
  if (!asksAboutTool(need, { isFree, changesNothing })) return run;
  const asked = { server, tool, digest: mcpToolDigest(need) };
  const grantKeys = [mcpToolKey(asked)];
  if (!mayWrite && mode === 'auto' && coversAll(grants, grantKeys)) return run;
  const what = `the tool ${JSON.stringify(tool)} of the MCP server ${JSON.stringify(server)}`;
  if (!canAskAbout(context, 'mcp')) {
    const why = `${what} needs an approval, and ${whyNotAsked(context, 'mcp')}`;
    return { kind: 'refuse', why, next: 'Do without it, or tell the user what is needed.' };
  }
  const isOnce = mode !== 'auto' || mayWrite;
  const by = mayWrite ? 'a turn that changes nothing' : `its approval mode "${mode}"`;
  const why = { kind: 'each-time', by } as const;
  const notOffered = isOnce ? { rule: why, session: why } : undefined;
  const once = notOffered === undefined ? '' : ` ${notOfferedWords(notOffered)}`;
  const isChanged = need.isChanged === true || wasGrantedOtherwise(grants, asked);
  const changed = isChanged ? ' The server changed the tool since you allowed it.' : '';
  const reason = `${what[0]?.toUpperCase()}${what.slice(1)} acts outside the sandbox.${changed} ${claimOf(need)}${once}`;
  const scopes = isOnce ? (['call'] as const) : (['call', 'session', 'rule'] as const);
  return {
    kind: 'ask',
    question: { kind: 'tool', reason, scopes, mcp: asked },
    where: 'sandbox',
    grantKeys,
    ...defined({ notOffered }),
  };
}

function onlyReads({ hints: { readOnly, destructive } }: Pick<McpNeed, 'hints'>): boolean {
  return readOnly === true && destructive !== true;
}

/** Whether calls of it are asked about, unless an earlier answer covers them. `isFree`: the policy leaves all to the model. */
export function asksAboutTool(
  need: Pick<McpNeed, 'mode' | 'hints'>,
  { isFree, changesNothing }: { readonly isFree: boolean; readonly changesNothing: boolean },
): boolean {
  return (changesNothing && !onlyReads(need)) || (needsApproval(need) && !isFree);
}

function needsApproval({
  mode,
  hints: { readOnly, destructive, openWorld = true },
}: Pick<McpNeed, 'mode' | 'hints'>): boolean {
  switch (mode) {
    case 'approve':
      return false;
    case 'prompt':
      return true;
    case 'writes':
      return readOnly !== true;
    case 'auto':
      return destructive === true || (readOnly !== true && (destructive !== false || openWorld));
  }
}

function claimOf({ mode, hints: { readOnly, destructive } }: McpNeed): string {
  if (destructive === true) return 'The server says that it may destroy something.';
  if (readOnly === true) return 'The server says that it only reads; your configuration asks about it all the same.';
  return mode === 'auto' || mode === 'approve'
    ? 'The server does not say that it only reads.'
    : 'Your configuration asks about it.';
}
