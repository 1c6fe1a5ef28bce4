import { themes } from '../../../test/compaction/conversations/all.ts';
import { type Asked, askedAbout } from '../../../test/compaction/conversations/asked.ts';
import { play } from '../../../test/compaction/conversations/play.ts';
import { type Summariser, summarisers } from '../../../test/compaction/conversations/summarisers.ts';
import { capstan, windows } from './capstan.ts';
import type { Contender } from './contender.ts';
import { type Measured, measure } from './measure.ts';

/** A program with a summariser, over all conversations. */
export interface ConversationRun {
  readonly program: string;
  readonly summariser: string;
  /** The window of the model, in tokens. */
  readonly window: number;
  readonly results: readonly ConversationResult[];
}

export interface ConversationResult {
  readonly conversation: string;
  /** A sentence where there is no checkpoint. */
  readonly measured: Measured | { readonly failed: string };
}

/** So many run at once: the programs wait for disks and processes most of the time. */
const atOnce = 4;

/** `codex`: absent where it is not there. */
export async function runConversations(
  codex: Contender | undefined,
  say: (line: string) => void,
): Promise<readonly ConversationRun[]> {
  const conversations = Object.values(themes)
    .flat()
    .map((conversation) => askedAbout(conversation, play(conversation.story)));
  const work = [
    ...summarisers.map((summariser) => ({ contender: capstan(windows.model), summariser })),
    ...summarisers.filter(isOneOfEach).map((summariser) => ({ contender: capstan(windows.small), summariser })),
    ...(codex === undefined
      ? []
      : summarisers.filter(suitsCodex).map((summariser) => ({ contender: codex, summariser }))),
  ];
  const runs: ConversationRun[] = [];
  const queue = work.entries();
  const next = async (): Promise<void> => {
    for (const [place, { contender, summariser }] of queue) {
      runs[place] = await runAll(contender, summariser, conversations);
      say(`${contender.name}, ${summariser.name}: ${conversations.length} conversations`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return runs;
}

/** One of each strategy shows what a small window changes. */
function isOneOfEach({ name }: Summariser): boolean {
  return name.endsWith('good') || name === 'mechanical';
}

/** Codex asks for a summary in prose, or its provider compacts; it makes no checkpoint by itself. */
function suitsCodex({ name, strategy }: Summariser): boolean {
  return strategy === 'plain' || name === 'remote, good';
}

async function runAll(
  contender: Contender,
  summariser: Summariser,
  conversations: readonly Asked[],
): Promise<ConversationRun> {
  const started = await contender.start(summariser);
  const results: ConversationResult[] = [];
  try {
    for (const [number, asked] of conversations.entries()) {
      const id = `019b8d00-3333-7000-8000-${(number + 1).toString(16).padStart(12, '0')}`;
      const prompted = await started.prompt(asked, id);
      results.push({
        conversation: asked.conversation.name,
        measured:
          'failed' in prompted
            ? prompted
            : measure(prompted.input, asked, { isWrong: summariser.name.endsWith('wrong') }),
      });
    }
  } finally {
    await started.close();
  }
  return { program: contender.name, window: contender.window, summariser: summariser.name, results };
}
