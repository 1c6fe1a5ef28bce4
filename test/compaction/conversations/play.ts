import { noWork, type WorkRecords } from '../../../src/core/compaction/plan/work-records.ts';
import { planUpdatedText } from '../../../src/core/fragments/answers/tool-calls.ts';
import {
  commandOutput,
  patchOutput,
  patchUnfitText,
} from '../../../src/core/fragments/answers/commands-and-patches.ts';
import { renderFragment } from '../../../src/core/fragments/text/define-fragment.ts';
import { hookPromptFragment } from '../../../src/core/fragments/events/hooks-skills-and-plugins.ts';
import { contextMessageItem } from '../../../src/core/fragments/message-items.ts';
import { turnAbortedFragment } from '../../../src/core/fragments/events/turns-and-goals.ts';
import { type HistoryEntry, entryMetadata } from '../../../src/core/history/entry.ts';
import type { Item } from '../../../src/protocol/item.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { foldWork } from '../../../src/core/state/fold/plan-and-changed-files.ts';
import { answered, said, turn } from '../scene.ts';
import type { Happening } from './conversation.ts';

/** A message to the model as it was sent. */
export interface Sent {
  /** Absent: the user. */
  readonly by?: 'hook' | 'program';
  readonly text: string;
  readonly number: number;
  readonly pictures: number;
}

/** A conversation as the values that a compaction reads. */
export interface Played {
  readonly entries: readonly HistoryEntry[];
  readonly work: WorkRecords;
  /** All messages of the user, oldest first. */
  readonly sent: readonly Sent[];
  /** Those messages, and those of hooks and programs. */
  readonly heard: readonly Sent[];
  /** Every item with the metadata of its line. */
  readonly lines: readonly PlayedLine[];
  readonly commands: readonly string[];
  /** The number of the newest turn. */
  readonly number: number;
}

/** An item of the conversation as a thread file holds it. */
export interface PlayedLine {
  readonly item: Item;
  readonly metadata: JsonObject;
  /** The number of its turn. */
  readonly number: number;
}

const nothing: Played = { entries: [], work: noWork, sent: [], heard: [], lines: [], commands: [], number: 0 };

export function play(story: readonly Happening[], before: Played = nothing): Played {
  return story.reduce(after, before);
}

const budget = { mode: 'bytes', limit: 10_000 } as const;

function after(played: Played, happening: Happening): Played {
  const id = `${played.number}-${played.entries.length}`;
  switch (happening.kind) {
    case 'ask':
    case 'steer': {
      const number = happening.kind === 'ask' ? played.number + 1 : played.number;
      const pictures = happening.kind === 'ask' ? happening.pictures : 0;
      const { text } = happening;
      const message = { text, number, pictures };
      const next = { ...played, number, sent: [...played.sent, message], heard: [...played.heard, message] };
      return withEntry(next, said(`msg_${id}`, text, { number, pictures }));
    }
    case 'run': {
      const { command, output, exitCode } = happening;
      const report = { seconds: 0.1, end: { kind: 'exited', exitCode }, output } as const;
      const called = { ...played, commands: [...played.commands, command] };
      return withCall(called, id, { name: 'shell', input: { cmd: command }, answer: commandOutput(report, budget) });
    }
    case 'plan': {
      const input = { plan: happening.steps.map(planStep) };
      return withCall(played, id, { name: 'update_plan', input, answer: planUpdatedText });
    }
    case 'patch': {
      const { path, change } = happening;
      const answer = patchOutput({ exitCode: 0, seconds: 0.1, output: `Success: ${path}` }, budget);
      const changed = [{ path, kind: change }];
      return withCall(played, id, { name: 'apply_patch', input: { input: `*** ${path}` }, answer, changed });
    }
    case 'bad-patch': {
      const answer = patchUnfitText(happening.problem, budget);
      return withCall(played, id, { name: 'apply_patch', input: { input: '***' }, answer });
    }
    case 'hook':
      return withContext(
        hearing(played, 'hook', happening.text),
        id,
        renderFragment(hookPromptFragment, { runId: id, prompt: happening.text }),
      );
    case 'program': {
      const item = contextMessageItem(`msg_${id}`, 'developer', [happening.text]);
      return withEntry(hearing(played, 'program', happening.text), { item, origin: { family: 'client' }, turn });
    }
    case 'interrupt':
      return withContext(played, id, renderFragment(turnAbortedFragment, 'interrupted'));
    case 'say':
      return withEntry(played, answered(happening.text));
  }
}

function hearing(played: Played, by: 'hook' | 'program', text: string): Played {
  return { ...played, heard: [...played.heard, { by, text, number: played.number, pictures: 0 }] };
}

function planStep(text: string): JsonObject {
  if (text.startsWith('x ')) return { step: text.slice(2), status: 'completed' };
  return text.startsWith('> ') ? { step: text.slice(2), status: 'in_progress' } : { step: text, status: 'pending' };
}

interface Call {
  readonly name: string;
  readonly input: JsonObject;
  readonly answer: string;
  readonly changed?: readonly JsonObject[];
}

function withCall(played: Played, id: string, { name, input, answer, changed }: Call): Played {
  const call_id = `call_${id}`;
  const call = { type: 'function_call', id: `fc_${id}`, name, arguments: JSON.stringify(input), call_id };
  const output = { type: 'function_call_output', id: `fco_${id}`, call_id, output: answer };
  const called = withEntry(played, { item: call, origin: { family: 'model' }, turn });
  return withEntry(called, { item: output, origin: { family: 'tool' }, turn }, changed);
}

function withContext(played: Played, id: string, part: ReturnType<typeof renderFragment>): Played {
  const item: Item = contextMessageItem(`msg_${id}`, part.role, [part.text]);
  return withEntry(played, { item, origin: { family: 'context', kinds: [part.kind], cause: 'event' }, turn });
}

function withEntry(played: Played, entry: HistoryEntry, changed?: readonly JsonObject[]): Played {
  const known = entryMetadata(entry)['capstan'] as JsonObject;
  const metadata = { capstan: { ...known, ...(changed === undefined ? {} : { changed }) } };
  return {
    ...played,
    entries: [...played.entries, entry],
    lines: [...played.lines, { item: entry.item, metadata, number: played.number }],
    work: foldWork(played.work, entry, { metadata }),
  };
}
