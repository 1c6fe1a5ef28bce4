import { defined } from '../../../protocol/defined.ts';
import { arrayAt, type JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Question } from '../../../protocol/question.ts';
import type { CallContext, ClientPort, ClientResponse, InputRequired } from '../offer/server-tool.ts';
import { answerFrom, clientQuestion } from './client-questions.ts';
import { questionMessage } from './question-message.ts';
import type { Attending } from './turn-audience.ts';
import type { TurnRun } from './turn-run.ts';

/** The questions as forms for the client's user. */
export function inputRequired(
  run: TurnRun,
  questions: readonly Question[],
  context: CallContext,
  { keeps }: Pick<Attending, 'keeps'>,
): InputRequired {
  const { thread, turnId } = run;
  const asker = run.audience.asks(context, questions, { keeps });
  const asked = questions.map((question) => ({ question, message: questionMessage(question, run.itemOf(question)) }));
  const forms = asked.map(({ question, message }) => {
    const { extra, ...form } = clientQuestion(question, message.text);
    return [question.id, { ...form, extra: { threadId: thread.id, ...extra } }] as const;
  });
  // What was not shown whole is known when the answer comes.
  const cut = asked.filter(({ message }) => !message.isWhole).map(({ question }) => question.id);
  const state = {
    thread_id: thread.id,
    asker,
    ...(!keeps && { steered: true }),
    ...defined({ turn_id: turnId, after: thread.cursor }),
    ...(cut.length > 0 && { cut }),
  };
  return {
    kind: 'input-required',
    questions: Object.fromEntries(forms),
    answered: noneOpen(run, questions),
    // A lost disk is seen by the turn.
    given: (id, response) => void giveResponses(run, { [id]: response }, state).catch(() => {}),
    state,
  };
}

interface GivenResponses {
  /** Why a suspended turn took none: it would ask the same again. */
  readonly refused?: Outcome;
  /** Whether an answer came after another one that says something else. */
  readonly isOutdone: boolean;
}

/** Gives the turn what the client's user answered, all of it at once: no answer waits for another one. */
export async function giveResponses(
  run: Pick<TurnRun, 'thread' | 'questions' | 'answerTo'>,
  responses: Readonly<Record<string, ClientResponse>>,
  state: JsonObject,
): Promise<GivenResponses> {
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
  return { ...defined({ refused }), isOutdone };
}

/** For a client that can neither ask nor answer. */
export async function declineAll(run: TurnRun, questions: readonly Question[], client: ClientPort): Promise<void> {
  const note = 'No one can be asked: the client of this server has no way to ask its user.';
  const own = questions.filter(({ id }) => !run.audience.isAskedElsewhere(id, client.id));
  await Promise.all(own.map(({ id }) => run.thread.answer(id, { kind: 'declined', by: 'default', note })));
}

/** Aborts when none of the questions waits for an answer any more, or the turn is over. */
function noneOpen(run: TurnRun, questions: readonly Question[]): AbortSignal {
  const over = new AbortController();
  const ids = new Set(questions.map(({ id }) => id));
  void (async () => {
    while (run.questions.some(({ id }) => ids.has(id))) await run.changed();
    over.abort();
  })();
  return over.signal;
}
