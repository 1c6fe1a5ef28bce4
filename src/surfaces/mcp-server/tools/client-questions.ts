import { type ClientSilence, clientSilence } from '../../../fragments/answers/client-silence.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../../protocol/json.ts';
import { defined } from '../../../protocol/defined.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { shellWords } from '../../../protocol/shell-words.ts';
import type { ClientResponse, FormQuestion } from '../offer/server-tool.ts';
import { filledIn, ownForm } from './question-forms.ts';
import type { QuestionMessage } from './question-message.ts';

/** Answers by the words that clients choose among. */
const decisions: Readonly<Record<string, Answer>> = {
  approved: { kind: 'allowed' },
  approved_for_session: { kind: 'allowed', scope: 'session' },
  approved_with_rule: { kind: 'allowed', scope: 'rule' },
  approved_execpolicy_amendment: { kind: 'allowed', scope: 'rule' },
  denied: { kind: 'declined' },
  abort: { kind: 'stopped' },
};

/** The question as a form: a decision among those that it allows, and a note for the model. */
export function clientQuestion(question: Question, message: string): FormQuestion {
  const form = ownForm(question);
  if (form !== undefined) return { message, schema: form, extra: forCodexClients(question) };
  const offered = offeredDecisions(question);
  return {
    message,
    schema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: `${Object.values(offered).join(', ')}.`,
          enum: Object.keys(offered),
        },
        note: { type: 'string', title: 'Note', description: 'Optional words for the model.' },
      },
      required: ['decision'],
    },
    extra: forCodexClients(question),
  };
}

/** The decisions that a question allows, each with what it does. */
function offeredDecisions({ kind, scopes, prefix, host }: Question): Readonly<Record<string, string>> {
  const about = prefix === undefined ? (host?.name ?? 'it') : shellWords(prefix);
  return {
    approved: `approved allows it ${kind === 'permissions' ? 'for this turn' : 'once'}`,
    ...(scopes.includes('session') && { approved_for_session: 'approved_for_session for the rest of the thread' }),
    ...(scopes.includes('rule') && {
      approved_with_rule: `approved_with_rule in every thread, by a rule that is saved for: ${about}`,
    }),
    denied: 'denied refuses it',
    abort: 'abort also ends the turn',
  };
}

/** What hosts read that show questions of Codex. */
function forCodexClients({ id, callId, turnId, kind, argv, cwd, reason }: Question): JsonObject {
  return {
    codex_elicitation: kind === 'patch' ? 'patch-approval' : 'exec-approval',
    codex_call_id: callId,
    codex_event_id: turnId,
    codex_question_id: id,
    ...defined({ codex_command: argv, codex_cwd: cwd, codex_reason: reason }),
  };
}

/**
 * What a client's response means. An `accept` without content is an approval of this one call, if the
 * question was shown whole. With content it is one only
 * where the decision says so, and nothing stands beside it but a note.
 */
export function answerFrom(
  response: ClientResponse,
  question: Pick<Question, 'scopes' | 'input' | 'elicitation'>,
  { isWhole }: Pick<QuestionMessage, 'isWhole'>,
): Answer {
  if (response.action === 'unanswered') return noWord(response.because);
  if (response.action !== 'accept') return { kind: response.action === 'cancel' ? 'stopped' : 'declined' };
  if (ownForm(question) !== undefined) return filledIn(question, response.content);
  const keys = Object.keys(response.content);
  if (keys.length === 0 && isWhole) return { kind: 'allowed' };
  const note = stringAt(response.content, 'note');
  const given = response.content['decision'];
  // Codex has decisions that are objects with one member.
  const [[word, more] = [], ...others] = isJsonObject(given) ? Object.entries(given) : [[given] as const];
  const answer = typeof word === 'string' && Object.hasOwn(decisions, word) ? decisions[word] : undefined;
  const isUnderstood = others.length === 0 && keys.every((key) => key === 'decision' || key === 'note');
  if (answer === undefined || (answer.kind === 'allowed' && !isUnderstood)) {
    // Words without a decision are no yes, and they are the user's.
    return given === undefined && isUnderstood && note !== undefined
      ? { kind: 'declined', note }
      : noWord('unreadable', note);
  }
  const words = note ?? (isJsonObject(more) ? stringAt(more, 'rejection') : undefined);
  const { scope, ...plain } = answer;
  // A scope that the question does not offer is narrowed to this call.
  const reaches = scope !== undefined && question.scopes.includes(scope) ? { scope } : {};
  return { ...plain, ...reaches, ...noted(words) };
}

/** What the client could not bring is not put into the mouth of the user, but for the words that the user did write. */
function noWord(silence: ClientSilence, said?: string): Answer {
  const why = clientSilence[silence];
  const { note } = noted(said);
  return { kind: 'declined', by: 'client', note: note === undefined ? why : `${why} It came with this note: ${note}` };
}

function noted(note: string | undefined): { readonly note?: string } {
  return note === undefined || note.trim() === '' ? {} : { note };
}
