import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { objectAt } from '../../../src/protocol/json.ts';
import { type LineDraft, lineType } from '../../../src/protocol/line.ts';
import type { Conversation, Happening } from '../../../test/compaction/conversations/conversation.ts';
import { run } from '../../../test/compaction/conversations/conversation.ts';
import { play, type PlayedLine } from '../../../test/compaction/conversations/play.ts';
import { codeText } from '../output-text.ts';
import { withScreenshots } from '../screenshot.ts';
import { sessionMeta, timestamp } from '../thread-file.ts';

/** Files that the model reads at the beginning, so that there is something to compact: about 12,000 tokens. */
const reading: readonly Happening[] = Array.from({ length: 5 }, (_, n) =>
  run(`cat vendor/part-${n + 1}.js`, codeText(n + 1, 260)),
);

/** The conversation as a thread file that Capstan and Codex read alike, in a home folder. */
export function writeConversation(home: string, cwd: string, id: string, { story }: Conversation): void {
  const first = story.findIndex(({ kind }) => kind === 'ask');
  const { lines } = play([...story.slice(0, first + 1), ...reading, ...story.slice(first + 1)]);
  const turns = [...Map.groupBy(lines, ({ number }) => Math.max(1, number))];
  const drafts = [sessionMeta(cwd, id), ...turns.flatMap(([number, items]) => turnLines(number, items))];
  const text = drafts.map((draft, ordinal) => `${JSON.stringify({ timestamp, ordinal, ...draft })}\n`).join('');
  const path = join(home, `sessions/2026/01/05/rollout-2026-01-05T09-00-00-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The user's words after the checkpoint. */
export const nextWords = 'What do you do next?';

function turnLines(number: number, items: readonly PlayedLine[]): readonly LineDraft[] {
  const turn = `019b8d00-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
  return [
    { type: lineType.event, payload: { type: 'task_started', turn_id: turn, started_at: 0 } },
    ...items.map(({ item, metadata }): LineDraft => {
      const capstan = { ...objectAt(metadata, 'capstan'), turn };
      return { type: lineType.responseItem, payload: withScreenshots(item), metadata: { capstan } };
    }),
    { type: lineType.event, payload: { type: 'task_complete', turn_id: turn, last_agent_message: null } },
  ];
}
