import type { AskDecision } from '../../policy/call-decision.ts';
import { allowsAsking } from '../../policy/approval-policy.ts';
import { isReviewed } from '../../policy/review/is-reviewed.ts';
import type { McpElicitation, McpElicited } from '../../ports/mcp-servers.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { defined } from '../../protocol/defined.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnce } from '../parts/warn-once.ts';
import { askInPlace } from './ask-in-place.ts';
import type { CallToGrant } from './grant-call.ts';
import type { QuestionOrder } from './question-order.ts';

/** A form that is larger is not put to anyone. */
const mostSchemaCharacters = 4000;
const mostMessageCharacters = 800;
/** How often one call may ask: more is no conversation. */
const mostQuestions = 10;

/**
 * Puts questions that a server has while its tool runs to the user. They take their turn among the questions of the
 * step. A reviewer knows nothing of what servers want to know, so it is never asked.
 */
export function askForServers(turn: Turn, wanted: CallToGrant, order: QuestionOrder) {
  const { policy } = turn.envelope;
  const canAsk = turn.parts.askUser !== undefined && !isReviewed(policy) && allowsAsking(policy.approval, 'mcp');
  let asked = 0;
  return async (elicitation: McpElicitation): Promise<McpElicited> => {
    const { server, message, url, schema } = elicitation;
    const isLarge = JSON.stringify(schema ?? {}).length > mostSchemaCharacters;
    if (!canAsk) warnOnce(turn, unasked(server), 'message');
    if (!canAsk || isLarge || asked++ >= mostQuestions || turn.signal.aborted) return { action: 'decline' };
    const words = message.slice(0, mostMessageCharacters);
    const decided: AskDecision = {
      kind: 'ask',
      question: {
        kind: 'elicitation',
        reason: `The MCP server ${JSON.stringify(server)} asks you: ${words}`,
        elicitation: { server, message: words, ...defined({ url, schema }) },
        scopes: ['call'],
      },
      where: 'sandbox',
      grantKeys: [],
    };
    // The call has begun: a question that it asks does not wait for the next process.
    const life = new AbortController();
    const end = (): void => life.abort('over');
    turn.signal.addEventListener('abort', end, { once: true });
    const inOrder = order.next();
    try {
      const came = await askInPlace(
        { ...turn, signal: life.signal },
        { ...wanted, inOrder },
        { decide: () => decided },
      );
      if (came.kind !== 'answered') return { action: 'cancel' };
      const { kind, content } = came.answer;
      if (kind === 'allowed' && url !== undefined) return { action: 'accept' };
      if (kind === 'allowed') {
        const { filledForm } = await import('../../protocol/form.ts');
        const filled = filledForm(schema, content);
        if ('content' in filled) return { action: 'accept', content: filled.content };
        warnOnce(turn, notSent(server, filled.fault), 'message');
        return { action: 'cancel' };
      }
      return { action: kind === 'declined' ? 'decline' : 'cancel' };
    } finally {
      inOrder.pass();
      turn.signal.removeEventListener('abort', end);
    }
  };
}

function unasked(server: string): Outcome {
  const message = `The MCP server ${JSON.stringify(server)} asked you something, and Capstan declined: no one can be asked.`;
  return { code: 'elicitation-declined', message, next: 'Use --approvals to answer such questions.' };
}

/** A yes to a form that is not filled is no answer. */
function notSent(server: string, fault: string): Outcome {
  const message = `The answer to the MCP server ${JSON.stringify(server)} was not sent: ${fault}`;
  return { code: 'form-not-filled', message, next: 'Fill in what the form asks for, or decline.' };
}
