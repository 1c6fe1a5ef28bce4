import { defined } from '../../../protocol/defined.ts';
import { type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Answer, AnswerScope, Question } from '../../../protocol/question.ts';

const kinds: Readonly<Record<string, Answer['kind']>> = { approved: 'allowed', denied: 'declined', abort: 'stopped' };

export const decisionWords: readonly string[] = Object.keys(kinds);

/** What a call of thread_answer says about a question. */
export function readDecision(args: JsonObject, { kind: asked, scopes }: Question): Answer | Outcome {
  const decision = stringAt(args, 'decision');
  if (asked === 'client-tool' && (decision === undefined || decision === 'approved')) return readResult(args);
  if (args['content'] !== undefined || args['success'] !== undefined) return noResultAsked;
  if (decision === undefined) return undecided;
  const kind = kinds[decision] ?? 'declined';
  const scope = stringAt(args, 'scope') as AnswerScope | undefined;
  const note = stringAt(args, 'note');
  if (scope !== undefined && kind !== 'allowed') {
    return {
      code: 'scope-of-refusal',
      message: 'A refusal has no scope: it is about this question alone.',
      next: 'Leave scope out.',
    };
  }
  if (scope !== undefined && !scopes.includes(scope)) {
    return {
      code: 'scope-not-offered',
      message: `This question cannot be answered with the scope ${JSON.stringify(scope)}.`,
      next: `Use one of these: ${scopes.join(', ')}.`,
    };
  }
  const content = objectAt(args, 'answers');
  return { kind, ...(kind === 'allowed' ? defined({ scope, content }) : {}), ...defined({ note }) };
}

/** What the client's own tool gave. */
function readResult({ content, success }: JsonObject): Answer | Outcome {
  if (content === undefined) return noContent;
  return { kind: 'allowed', content: { content, ...(success === false ? { success } : {}) } };
}

const noContent: Outcome = {
  code: 'result-missing',
  message: 'The question is a call of a tool of yours, and the answer has no content.',
  next: 'Give the result of the tool as content: a text, or a list of content blocks. To refuse the call, give the decision "denied".',
};

const noResultAsked: Outcome = {
  code: 'result-not-asked',
  message: 'Only a call of a tool of yours is answered with content and success.',
  next: 'Answer this question with a decision.',
};

const undecided: Outcome = {
  code: 'decision-missing',
  message: 'The answer has no decision.',
  next: `Give one of these: ${decisionWords.join(', ')}.`,
};
