import { checkpointIntentFragment, layOutIntent, type RecentWords } from '../fragments/checkpoint-intent.ts';
import { cutText } from '../fragments/cut-words.ts';
import { render } from '../fragments/define.ts';
import { sentTokens } from '../fragments/truncate.ts';
import type { QuotedWords } from '../history/entry.ts';
import { type UserWords, usersWords } from '../history/users-words.ts';
import { chooseTask, type TaskChoice } from './active-task.ts';
import type { Candidate, CandidateEntry } from './candidate.ts';
import { entriesTokens, madeEntry, recordsEntries, summaryEntry } from './candidate-parts.ts';
import type { Faulty } from './faulty.ts';
import { splitIntent } from './intent-tags.ts';
import { keptMessage, quoteOf } from './kept-message.ts';
import { keepWords, type KeptWords } from './kept-words.ts';
import { matchWords } from './match-words.ts';
import { addedWork, cutNotice, cutSummary, ownText } from './model-text.ts';
import type { CompactionPlan } from './plan.ts';
import { doubtfulTask } from './prompts/doubtful-task.ts';
import { type PartsRoom, shrinkToFit } from './shrinking.ts';
import type { CompactionSource } from './source.ts';
import { readStructured } from './structured-answer.ts';

/** Of what a model writes, the part that may be context for the task. */
const contextShare = 0.25;

/**
 * The checkpoint that a structured answer asks for. The model chooses; every word of the user in it comes from history,
 * and the task is one that was worked on.
 */
export function structuredCandidate(plan: CompactionPlan, source: CompactionSource, text: string): Candidate | Faulty {
  const answer = readStructured(text);
  if (answer.kind === 'faulty') return answer;
  const all = usersWords(source.history);
  const { request, recent, context } = splitIntent(answer.intent);
  const matcher = matchWords(all);
  const choice = chooseTask(all, matcher.closest(request));
  const made = { all, choice, older: matcher.quotedIn(recent), context, summary: answer.summary };
  return shrinkToFit(plan.room, (room) => {
    const candidate = build(plan, source, made, room);
    return { ...candidate, mended: [...answer.mended, ...choice.mended, ...candidate.mended] };
  });
}

interface Answered {
  readonly all: readonly UserWords[];
  readonly choice: TaskChoice;
  readonly older: ReadonlySet<UserWords>;
  readonly context: string;
  readonly summary: string;
}

function build(
  plan: CompactionPlan,
  source: CompactionSource,
  { all, choice, older, context, summary }: Answered,
  room: PartsRoom,
): Candidate {
  const { task, doubtful } = choice;
  const { kept, counts } = keepWords(all, {
    task,
    always: doubtful === undefined ? [] : [doubtful],
    older,
    form: 'quotes',
    room,
  });
  const notes = ownText(context, kept);
  const noted = room.answer === 0 ? '' : cutText(notes, Math.floor(room.answer * contextShare));
  const told = ownText(summary, kept);
  const shown = cutSummary(told, Math.max(0, room.answer - sentTokens(noted)));
  const ends = addedWork(source, shown, room.answer);
  const added = ends === undefined ? {} : { work: ends };
  const { entry, message } = summaryEntry({ by: 'model', model: plan.model, summary: shown, ...added });
  const entries = [
    intentEntry(kept, choice, noted),
    ...ownMessages(kept, task),
    ...recordsEntries(source.work, room.records),
    entry,
  ];
  const mended = cutNotice([notes, told], [noted, shown]);
  return { strategy: 'structured', entries, message, tokens: entriesTokens(entries), words: counts, mended };
}

/** The words that define the task and all that fit into the other block; those with pictures follow by themselves. */
function intentEntry(kept: readonly KeptWords[], { task, doubtful }: TaskChoice, context: string): CandidateEntry {
  const asked = kept.find(({ words }) => words === task);
  const others = kept.filter((one) => one !== asked);
  const doubted = others.findIndex(({ words }) => words === doubtful);
  const payload = {
    context,
    unknowns: doubted < 0 ? [] : [doubtfulTask(doubted + 1)],
    request: asked?.text,
    recent: others.map(recentWords),
  };
  const layout = layOutIntent(payload);
  const words = kept.map((one): QuotedWords => {
    const place = one === asked ? layout.request! : layout.recent[others.indexOf(one)]!;
    return { ...quoteOf(one, one === asked), ...place };
  });
  return madeEntry(render(checkpointIntentFragment, payload), words);
}

function recentWords({ words, text, pictures, cut }: KeptWords): RecentWords {
  if (pictures) return { kind: 'follows' };
  return { kind: cut && !words.cut && text === words.text ? 'without-pictures' : 'quoted', text };
}

function ownMessages(kept: readonly KeptWords[], task: UserWords | undefined): readonly CandidateEntry[] {
  return kept
    .filter(({ pictures }) => pictures)
    .map((one) =>
      one.words === task
        ? keptMessage(one, { parts: 'pictures', isTask: true })
        : keptMessage(one, { parts: 'all', isTask: false }),
    );
}
