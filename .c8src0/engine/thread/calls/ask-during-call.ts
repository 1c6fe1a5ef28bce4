import { defined } from '../../../base/objects.ts';
import { type AnsweredHost, hostAnswersText } from '../../../core/fragments/answers/refusals.ts';
import { allowedWithCommentText } from '../../../core/fragments/answers/tool-calls.ts';
import { allowsAsking, mayReviewerAnswer } from '../../../core/policy/decide/approval-policy.ts';
import type { AskDecision, CallDecision } from '../../../core/policy/decide/call-decision.ts';
import type { AnswerNetworkHost, NetworkHostAnswer } from '../../../ports/ask-user.ts';
import type { McpElicitation, McpElicitationAnswer } from '../../../ports/mcp-servers.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { RequestedHost } from '../../../protocol/permissions.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnce } from '../log.ts';
import { askInOrder, type DecisionInOrder } from './ask-about-call.ts';
import type { QuestionOrder } from './call-order.ts';
import { decideNetworkHost } from './decide-call.ts';
import type { CallToGrant, GrantedCall } from './grant-call.ts';

export interface NetworkHostQuestions {
  readonly decide: AnswerNetworkHost;
  /** The command is over: waiting questions lapse. Resolves with notes for the model, after the last line. */
  end(): Promise<readonly string[]>;
}

/** Asks about hosts for a call that has begun. Whatever ends the call, even a closing thread, ends these questions. */
export function askAboutNetworkHosts(
  turn: Turn,
  wanted: CallToGrant & Pick<GrantedCall, 'policy'>,
  order: QuestionOrder,
): NetworkHostQuestions {
  const over = new AbortController();
  const open = new Set<Promise<NetworkHostAnswer>>();
  const told: AnsweredHost[] = [];

  async function ask(host: RequestedHost, ofProxy: AbortSignal): Promise<NetworkHostAnswer> {
    const known = decideNetworkHost(turn, wanted, host);
    if (known.kind !== 'ask') return hostAnswer(known);
    // The call is answered but its command still runs: no turn is left to ask in.
    if (over.signal.aborted) return 'unasked';
    const ended = AbortSignal.any([turn.signal, over.signal, ofProxy]);
    const decide = () => decideNetworkHost(turn, wanted, host);
    return askBeside({ ...turn, signal: ended }, wanted, order, decide, (came) => {
      // If the call ended, it had waited for this question, perhaps behind another one: the question counts as lapsed.
      if (came.kind === 'decided' && !ended.aborted) return hostAnswer(came.decided);
      const answer = came.kind === 'answered' ? came.answer : ({ kind: 'lapsed' } as const);
      // A yes without words is not reported: the command connects.
      if (answer.kind !== 'allowed' || allowedWithCommentText(answer) !== undefined) told.push({ host, answer });
      return answer.kind === 'allowed' ? 'allowed' : 'declined';
    });
  }

  return {
    decide(host, signal) {
      const asking = ask(host, signal);
      open.add(asking);
      return asking.finally(() => open.delete(asking));
    },
    async end() {
      over.abort('over');
      // A lost disk is reported by the next caller that needs it.
      await Promise.allSettled(open);
      return hostAnswersText(told);
    },
  };
}

/** The questions of a running call lapse with it. The next question of the step waits until `use` took the answer. */
async function askBeside<Used>(
  turn: Turn,
  wanted: CallToGrant,
  order: QuestionOrder,
  decide: () => CallDecision,
  use: (came: DecisionInOrder) => Used | Promise<Used>,
): Promise<Used> {
  const life = new AbortController();
  const end = (): void => life.abort('over');
  turn.signal.addEventListener('abort', end, { once: true });
  if (turn.signal.aborted) end();
  const inOrder = order.next();
  try {
    return await use(await askInOrder({ ...turn, signal: life.signal }, { ...wanted, inOrder }, { decide }));
  } finally {
    inOrder.pass();
    turn.signal.removeEventListener('abort', end);
  }
}

/** Undefined: the command was over before anyone could be asked. */
function hostAnswer(decided: Exclude<CallDecision, AskDecision> | undefined): NetworkHostAnswer {
  if (decided === undefined) return 'declined';
  return decided.kind === 'run' ? 'allowed' : 'unasked';
}

const mostSchemaCharacters = 4000;
const mostMessageCharacters = 800;
const mostQuestions = 10;

/** Asks the user what a server wants to know while its tool runs. A reviewer could not know it, and is not asked. */
export function askForServers(turn: Turn, wanted: CallToGrant, order: QuestionOrder) {
  const { policy } = turn.envelope;
  const canAsk = turn.parts.askUser !== undefined && !mayReviewerAnswer(policy) && allowsAsking(policy.approval, 'mcp');
  let count = 0;
  return async (elicitation: McpElicitation): Promise<McpElicitationAnswer> => {
    const { server, message, url, schema } = elicitation;
    const isLarge = JSON.stringify(schema ?? {}).length > mostSchemaCharacters;
    if (!canAsk) warnOnce(turn, unasked(server), 'message');
    if (!canAsk || isLarge || count++ >= mostQuestions || turn.signal.aborted) return { action: 'decline' };
    const words = message.slice(0, mostMessageCharacters);
    const reason = `The MCP server ${JSON.stringify(server)} asks you: ${words}`;
    const asked = { server, message: words, ...defined({ url, schema }) };
    const question: AskDecision['question'] = { kind: 'elicitation', reason, elicitation: asked, scopes: ['call'] };
    const ask = (): AskDecision => ({ kind: 'ask', question, where: 'sandbox', grantKeys: [] });
    return askBeside(turn, wanted, order, ask, async (came): Promise<McpElicitationAnswer> => {
      if (came.kind !== 'answered') return { action: 'cancel' };
      const { kind, content } = came.answer;
      if (kind !== 'allowed') return { action: kind === 'declined' ? 'decline' : 'cancel' };
      if (url !== undefined) return { action: 'accept' };
      const { fillFormDefaults } = await import('../../../protocol/elicitation-form.ts');
      const filled = fillFormDefaults(schema, content);
      if ('content' in filled) return { action: 'accept', content: filled.content };
      warnOnce(turn, notSent(server, filled.fault), 'message');
      return { action: 'cancel' };
    });
  };
}

function unasked(server: string): Outcome {
  const message = `The MCP server ${JSON.stringify(server)} asked you something, and Capstan declined: no one can be asked.`;
  return { code: 'elicitation-declined', message, next: 'Use --approvals to answer such questions.' };
}

function notSent(server: string, fault: string): Outcome {
  const message = `The answer to the MCP server ${JSON.stringify(server)} was not sent: ${fault}`;
  return { code: 'form-not-filled', message, next: 'Fill in what the form asks for, or decline.' };
}
