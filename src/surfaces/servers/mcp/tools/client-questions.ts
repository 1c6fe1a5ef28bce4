import { defined } from '../../../../base/objects.ts';
import { type ClientSilence, clientSilence } from '../../../../core/fragments/answers/tool-calls.ts';
import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { Answer, Question, UserQuestion } from '../../../../protocol/question.ts';
import { quoteShellCommand } from '../../../../protocol/shell.ts';
import type { CallContext, ClientPort, ClientResponse, FormQuestion, InputRequired } from '../server-interface.ts';
import { questionMessage, type QuestionMessage } from './turn-answers.ts';
import type { AttendOptions, TurnRun } from './turn-runs.ts';

export function inputRequired(
  run: TurnRun,
  questions: readonly Question[],
  context: CallContext,
  { keeps }: Pick<AttendOptions, 'keeps'>,
): InputRequired {
  const { thread, turnId } = run;
  const asker = run.audience.asks(context, questions, { keeps });
  const asked = questions.map((question) => ({ question, message: questionMessage(question, run.itemOf(question)) }));
  const forms = asked.map(({ question, message }) => {
    const { extra, ...form } = clientQuestion(question, message.text);
    return [question.id, { ...form, extra: { threadId: thread.id, ...extra } }] as const;
  });
  // The state remembers which questions were not shown whole.
  const cut = asked.filter(({ message }) => !message.isWhole).map(({ question }) => question.id);
  const state = {
    thread_id: thread.id,
    asker,
    steered: !keeps || undefined,
    turn_id: turnId,
    after: thread.cursor,
    cut: cut.length > 0 ? cut : undefined,
  };
  return {
    kind: 'input-required',
    questions: Object.fromEntries(forms),
    answered: noneOpen(run, questions),
    // The turn itself reports a lost disk.
    given: (id, response) => void giveResponses(run, { [id]: response }, state).catch(() => {}),
    state,
  };
}

/**
 * Gives the turn all answers of the client's user at once: no answer waits for another one. `refused`: why a suspended
 * turn took none, as it would ask the same again. `isOutdone`: another, different answer came first.
 */
export async function giveResponses(
  run: Pick<TurnRun, 'thread' | 'questions' | 'answerTo'>,
  responses: Readonly<Record<string, ClientResponse>>,
  state: JsonObject,
): Promise<{ readonly refused?: Outcome; readonly isOutdone: boolean }> {
  const { thread, questions } = run;
  const cut = arrayAt(state, 'cut') ?? [];
  let isOutdone = false;
  const given = Object.entries(responses).map(async ([id, response]) => {
    const question = questions.find((each) => each.id === id);
    const answer = answerFrom(response, question ?? { scopes: [] }, { isWhole: !cut.includes(id) });
    const done = question && (await thread.answer(id, answer));
    if (done !== undefined && done.kind !== 'refused') return undefined;
    // Another client has answered: its answer counts, and this call waits for the same end.
    const counts = run.answerTo(id);
    const isLate = done?.kind === 'refused' && done.outcome.code === 'question-answered';
    if (counts === undefined ? isLate : counts !== answer.kind) isOutdone = true;
    return done?.kind === 'refused' && thread.isSuspended ? done.outcome : undefined;
  });
  const refused = (await Promise.all(given)).find((outcome) => outcome !== undefined);
  return { refused, isOutdone };
}

/** For a client that can neither ask nor answer. */
export async function declineAll(run: TurnRun, questions: readonly Question[], client: ClientPort): Promise<void> {
  const note = 'No one can be asked: the client of this server has no way to ask its user.';
  const own = questions.filter(({ id }) => !run.audience.isReserved(id, client.id));
  await Promise.all(own.map(({ id }) => run.thread.answer(id, { kind: 'declined', by: 'default', note })));
}

/** Aborts when no question is open any more, or the turn is over. */
function noneOpen(run: TurnRun, questions: readonly Question[]): AbortSignal {
  const over = new AbortController();
  const ids = new Set(questions.map(({ id }) => id));
  void (async () => {
    while (run.questions.some(({ id }) => ids.has(id))) await run.changed();
    over.abort();
  })();
  return over.signal;
}

const decisions: Readonly<Record<string, Answer>> = {
  approved: { kind: 'allowed' },
  approved_for_session: { kind: 'allowed', scope: 'session' },
  approved_with_rule: { kind: 'allowed', scope: 'rule' },
  approved_execpolicy_amendment: { kind: 'allowed', scope: 'rule' },
  denied: { kind: 'declined' },
  abort: { kind: 'stopped' },
};

export function clientQuestion(question: Question, message: string): FormQuestion {
  const form = questionForm(question);
  const extra = forCodexClients(question);
  if (form !== undefined) return { message, schema: form, extra };
  const offered = offeredDecisions(question);
  const description = `${Object.values(offered).join(', ')}.`;
  const properties = {
    decision: { type: 'string', title: 'Decision', description, enum: Object.keys(offered) },
    note: { type: 'string', title: 'Note', description: 'Optional words for the model.' },
  };
  return { message, schema: { type: 'object', properties, required: ['decision'] }, extra };
}

function offeredDecisions({ kind, scopes, prefix, host }: Question): Readonly<Record<string, string>> {
  const about = prefix === undefined ? (host?.name ?? 'it') : quoteShellCommand(prefix);
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

const forCodexClients = ({ id, callId, turnId, kind, argv, cwd, reason }: Question): JsonObject => ({
  codex_elicitation: kind === 'patch' ? 'patch-approval' : 'exec-approval',
  codex_call_id: callId,
  codex_event_id: turnId,
  codex_question_id: id,
  codex_command: argv,
  codex_cwd: cwd,
  codex_reason: reason,
});

/**
 * An `accept` without content approves this one call, if the question was shown whole. With content it does so only if
 * the decision says so and nothing but a note accompanies it.
 */
function answerFrom(
  response: ClientResponse,
  question: Pick<Question, 'scopes' | 'input' | 'elicitation'>,
  { isWhole }: Pick<QuestionMessage, 'isWhole'>,
): Answer {
  if (response.action === 'unanswered') return noWord(response.because);
  if (response.action !== 'accept') return { kind: response.action === 'cancel' ? 'stopped' : 'declined' };
  if (questionForm(question) !== undefined) return readFilledForm(question, response.content);
  const keys = Object.keys(response.content);
  if (keys.length === 0 && isWhole) return { kind: 'allowed' };
  const note = stringAt(response.content, 'note');
  const given = response.content['decision'];
  // Codex has decisions that are objects with one member.
  const [[word, more] = [], ...others] = isJsonObject(given) ? Object.entries(given) : [[given] as const];
  const answer = typeof word === 'string' && Object.hasOwn(decisions, word) ? decisions[word] : undefined;
  const isUnderstood = others.length === 0 && keys.every((key) => key === 'decision' || key === 'note');
  if (answer === undefined || (answer.kind === 'allowed' && !isUnderstood)) {
    // A note without a decision is no approval, but it is the user's.
    const isNote = given === undefined && isUnderstood && note !== undefined;
    return isNote ? { kind: 'declined', note } : noWord('unreadable', note);
  }
  const words = note ?? (isJsonObject(more) ? stringAt(more, 'rejection') : undefined);
  const { scope, kind } = answer;
  // A scope that the question does not offer is narrowed to this call.
  return { kind, ...(scope !== undefined && question.scopes.includes(scope) && { scope }), ...noted(words) };
}

/** A client's failure is not attributed to the user, except for words that the user did write. */
function noWord(silence: ClientSilence, said?: string): Answer {
  const why = clientSilence[silence];
  const { note } = noted(said);
  return { kind: 'declined', by: 'client', note: note === undefined ? why : `${why} It came with this note: ${note}` };
}

const noted = (note: string | undefined): { readonly note?: string } =>
  note === undefined || note.trim() === '' ? {} : { note };

/** The form of a question that requires more than a decision. Undefined: a decision is enough. */
function questionForm({ input, elicitation }: Pick<Question, 'input' | 'elicitation'>): JsonObject | undefined {
  if (input === undefined) return elicitation?.schema;
  return { type: 'object', properties: Object.fromEntries(input.flatMap(fieldsOf)) };
}

/** A choice and a text field for another answer: no form field is both. */
function fieldsOf(asked: UserQuestion): readonly (readonly [string, JsonObject])[] {
  const { id, header, question, options } = asked;
  const offered = options.map(({ label, description }) => `${label}: ${description}`).join('\n');
  const labels = [...new Set(options.map(({ label }) => label))];
  return [
    [id, { type: 'string', title: header, description: `${question}\n${offered}`, enum: labels }],
    [otherField(asked), { type: 'string', title: `${header}: another answer`, description: 'In your own words.' }],
  ];
}

const otherField = ({ id }: UserQuestion): string => `${id}__other`;

/** Reads the filled form. The user's own words take precedence over a choice. */
function readFilledForm({ input }: Pick<Question, 'input'>, content: JsonObject): Answer {
  if (Object.keys(content).length === 0) return { kind: 'allowed' };
  if (input === undefined) return { kind: 'allowed', content };
  const given = input.map((asked) => {
    const other = content[otherField(asked)];
    const words = typeof other === 'string' && other.trim() !== '' ? other : undefined;
    return [asked.id, words ?? content[asked.id]] as const;
  });
  return { kind: 'allowed', content: defined(Object.fromEntries(given)) as JsonObject };
}
