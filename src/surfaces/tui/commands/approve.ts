import type { Question } from '../../../protocol/question.ts';
import { questionWords } from '../../wording/question-words.ts';
import { commandText } from '../cells/command-text.ts';
import { ListView } from '../views/list-view.ts';
import type { CommandSession } from './command-session.ts';

/** More than the last few are not what the user means. */
const mostListed = 9;

/**
 * `/approve`: what a reviewer refused may be tried once more. The user's words say so to the model, and the reviewer reads
 * them: it lets pass what they ask for, but for what no reviewer may allow.
 */
export async function approve(session: CommandSession): Promise<void> {
  const { stage } = session.parts;
  const refused = await refusedByReview(session);
  if (refused.length === 0) return session.notice('No reviewer has refused anything in this conversation.');
  const close = (): void => stage.open(undefined);
  stage.open(
    new ListView({
      title: 'Allow which of these, once?',
      items: refused.map((question) => ({ label: questionWords(question), about: question.reason ?? '' })),
      close,
      pick(index) {
        close();
        const question = refused[index];
        if (question !== undefined) session.sendWords(consent(question));
      },
    }),
  );
}

/** The newest first, each action once. */
async function refusedByReview({ thread, parts: { engine } }: CommandSession): Promise<readonly Question[]> {
  if (thread.place === undefined) return [];
  const asked = new Map<string, Question>();
  const refused = new Map<string, Question>();
  for await (const { event } of engine.stored.events(thread.id)) {
    if (event.kind === 'question-asked') asked.set(event.question.id, event.question);
    if (event.kind !== 'question-answered' || event.answer.by !== 'review') continue;
    const question = asked.get(event.id);
    if (question === undefined) continue;
    const words = consent(question);
    refused.delete(words);
    if (event.answer.kind !== 'allowed') refused.set(words, question);
  }
  return [...refused.values()].toReversed().slice(0, mostListed);
}

/** Whole, so that it is about this action and no other, and without what the model says for it. */
function consent({ justification: _claim, ...question }: Question): string {
  const { argv, cwd, paths = [] } = question;
  const whole = [
    ...(argv === undefined ? [] : [commandText(argv)]),
    ...(argv === undefined ? paths.map(({ path }) => path) : []),
    ...(cwd === undefined ? [] : [`in the folder ${cwd}`]),
  ];
  // The model knows a tool by the name in its list, not by that of the item.
  const asked = questionWords({ ...question, item: {} });
  const words = `I have seen what the reviewer refused, and I allow you to do it once: ${asked}.`;
  return [`${words} Try it again as it was.`, ...whole].join('\n');
}
