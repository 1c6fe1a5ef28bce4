import { describe, expect, it } from 'vitest';
import { draftFromText } from './draft.ts';
import { slashCommands, type SlashCommand } from '../commands/slash-commands.ts';
import { parseDraft } from './draft-message.ts';

describe('a draft that is read', () => {
  it('names the nearest command of one that does not exist', () => {
    const why = (draft: string) => parseDraft(draftFromText(draft));
    const more = 'Type / for the list, or put a space before it to send it to the model.';
    expect(why('/stauts')).toEqual({
      kind: 'refused',
      why: `There is no command /stauts. Did you mean /status? ${more}`,
    });
    expect(why('/frobnicate')).toEqual({ kind: 'refused', why: `There is no command /frobnicate. ${more}` });
  });

  it('is no command if words stand behind one that takes none', () => {
    for (const { name, takes } of slashCommands as readonly SlashCommand[]) {
      expect(parseDraft(draftFromText(`/${name} `)).kind).toBe('slash');
      expect([name, parseDraft(draftFromText(`/${name} the old logs`)).kind]).toEqual([
        name,
        takes === undefined ? 'refused' : 'slash',
      ]);
    }
  });
});
