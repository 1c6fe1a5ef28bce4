import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { stillConfined } from '../../fragments/answers/call-answers.ts';
import { needsSandbox } from '../../policy/access.ts';
import type { CallResult } from '../../tools/define.ts';
import type { AdoptedCall } from '../parts/thread-sessions.ts';
import type { GrantedCall } from './granted-call.ts';

/** A call that ran, with what it was granted: a command that outlives it keeps that. */
export type RanCall = CallResult & {
  readonly policy: ResolvedPolicy;
  readonly mayWrite: boolean;
  /** As its line says. */
  readonly outside?: true;
  readonly confined?: true;
} & Pick<AdoptedCall, 'typed'>;

/** A command that may do everything but read what is denied looks at folders that are empty, and should know why. */
export function confined<Result extends CallResult>(end: Result, { where, policy }: GrantedCall): Result {
  const failed = end.item.kind === 'command' && end.item.status === 'failed';
  if (where !== 'outside' || !failed || !needsSandbox(policy)) return end;
  return { ...end, output: withNote(end.output, stillConfined) };
}

/** A sentence of ours before what a tool says. */
export function withNote(output: CallResult['output'], note: string): CallResult['output'] {
  return typeof output === 'string' ? `${note}\n${output}` : [{ type: 'input_text', text: note }, ...output];
}
