import { describe, expect, it } from 'vitest';
import { fragmentCatalog } from '../../world/catalog.ts';
import { imageParts } from '../../fragments/answers/content-parts.ts';
import { recogniseFragment } from '../../world/recognise-fragments.ts';
import { entryMetadata, entryFromLine } from '../../history/entry.ts';
import { historyOf } from '../../history/history.ts';
import { messagesOfUser } from '../../history/user-words.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { asItem } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { messageWordsOf } from './turn-words.ts';

const turn = 'turn' as TurnId;
const ours = entryMetadata({ origin: { family: 'user' }, turn });
const text = (words: string): JsonObject => ({ type: 'input_text', text: words });

function userLine(content: readonly JsonObject[], metadata?: JsonObject): Line {
  const payload = { type: 'message', role: 'user', id: 'msg_1', content: content as JsonObject[] };
  return { timestamp: '', type: 'response_item', payload, ...(metadata === undefined ? {} : { metadata }) } as Line;
}

/** The user's words of the line that a checkpoint would keep. */
function wordsInHistory({ payload, metadata }: Line): readonly string[] {
  return messagesOfUser(historyOf([entryFromLine(asItem(payload)!, metadata)])).map((words) => words.text);
}

/** Texts that are taken for context where no line says whose they are. */
const marked = fragmentCatalog.flatMap(({ markers }) =>
  markers === undefined ? [] : [`${markers[0]}\nsome words\n${markers[1]}`],
);
const ofOthers = [
  '<user_shell_command>\nsome words\n</user_shell_command>',
  '<user_action>\nsome words\n</user_action>',
  '<external_key>\nsome words\n</external_key>',
  '<codex_internal_context source="goal">\nsome words\n</codex_internal_context>',
];
const pasted = [...new Set([...marked, ...ofOthers])].filter((words) => recogniseFragment('user', words) !== undefined);

it('there are markers to paste', () => {
  expect(pasted.length).toBeGreaterThan(10);
  for (const marker of ['<environment_context>', 'AGENTS.md', '<skill>', '<user_shell_command>', '<hook_prompt']) {
    expect(pasted.join('\n')).toContain(marker);
  }
});

describe.each(pasted)('a user who pastes %s', (words) => {
  it('has said it where the line says so', () => {
    const line = userLine([text(words)], ours);
    expect(messageWordsOf(line)).toEqual({ role: 'user', text: words.trim(), form: 'item' });
    expect(wordsInHistory(line)).toEqual([words]);
  });

  it('has said it beside a picture, too', () => {
    const picture = imageParts({ path: 'a.png', dataUrl: 'data:' }, 1);
    const line = userLine([...picture, text(words)], ours);
    expect(messageWordsOf(line)?.text).toBe(words.trim());
    expect(wordsInHistory(line)).toEqual([words]);
  });

  it('is not separated from context in a file of another program', () => {
    expect(messageWordsOf(userLine([text(words)]))).toBeUndefined();
    expect(messageWordsOf(userLine([text(words), text('and this')]))?.text).toBe('and this');
  });
});

it('the names of pictures are not words, unless no picture stands beside them', () => {
  const picture = imageParts({ path: 'a.png', dataUrl: 'data:' }, 1);
  for (const metadata of [ours, undefined]) {
    expect(messageWordsOf(userLine([...picture, text('look')], metadata))?.text).toBe('look');
    expect(messageWordsOf(userLine(picture, metadata))?.text).toBe('[Image]');
    for (const label of ['<image name=[Image #1]>', '</image>']) {
      expect(messageWordsOf(userLine([text(label)], metadata))?.text).toBe(label);
      expect(wordsInHistory(userLine([...picture, text(label)], metadata))).toEqual([label]);
    }
  }
});
