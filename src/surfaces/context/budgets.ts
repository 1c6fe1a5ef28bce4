import type { Window } from '../../envelope/window.ts';
import { byteLength, bytesPerToken } from '../../fragments/text/truncate.ts';
import { entries } from '../../history/history.ts';
import { partBytes } from '../../history/size.ts';
import type { Item } from '../../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt } from '../../protocol/json.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import type { FamilyShare } from './group-parts.ts';
import type { ThreadStory } from './thread-story.ts';
import { sumTokens } from './window-content.ts';

/**
 * The budgets of the window, and what of each is used; `meaning` says what is meant by use. The window is that of the next
 * turn, else the one under which the newest turn ran; of a turn of another program only its size may be known.
 */
export function budgetsOf(
  { state, window: size }: ThreadStory,
  groups: readonly FamilyShare[],
  total: number,
  envelope: JsonObject | undefined = state.envelope,
) {
  const budget = (name: string, limit: number, used: number, meaning: string) => {
    return { name, unit: 'tokens' as const, limit, used, meaning };
  };
  const stored = envelope && objectAt(envelope, 'window');
  if (stored === undefined) {
    const unknown = ['The budgets of the newest turn are not in the file: another program ran it.'];
    return { budgets: size === undefined ? [] : [budget('effective', size, total, 'everything')], unknown };
  }
  const window = stored as unknown as Window;
  const inReserve = Math.max(0, total - (window.effective - window.compactionReserve));
  const skills = groups.flatMap(({ shares }) => shares).filter(({ section }) => section === 'skills');
  const first = groups.filter(({ family }) => ['instructions', 'tools', 'context'].includes(family));
  const { mode, limit } = window.toolOutput;
  // Outputs are cut by their bytes. In tokens, the number beside those of the parts would be by another measure.
  const toolOutput = {
    name: 'tool output',
    unit: 'bytes' as const,
    limit: mode === 'bytes' ? limit : limit * bytesPerToken,
    used: largestOutput(state),
    meaning: 'the largest one',
  };
  return {
    budgets: [
      budget('effective', window.effective, total, 'everything'),
      budget('auto-compact', window.autoCompact, total, 'everything'),
      budget('reserve', window.compactionReserve, inReserve, 'what reaches into it'),
      budget('skills', window.skills, sumTokens(skills), 'the catalogue of skills'),
      budget('memory', window.memory, 0, 'of a thread that notes are written about, in a request of its own'),
      budget('baseline', window.baseline, sumTokens(first), 'instructions, tools, context'),
      toolOutput,
    ],
    unknown: [],
  };
}

function largestOutput({ history }: ThreadState): number {
  const outputs = entries(history).filter(({ origin }) => origin.family === 'tool');
  return Math.max(0, ...outputs.map(({ item }) => outputBytes(item)));
}

function outputBytes(item: Item): number {
  const output = item['output'];
  if (typeof output === 'string') return byteLength(output);
  const parts = (arrayAt(item, 'output') ?? []).filter(isJsonObject);
  return parts.reduce((sum, part) => sum + partBytes(part), 0);
}
