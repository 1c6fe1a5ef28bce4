import { describe, expect, it } from 'vitest';
import { draftOf } from '../composer/draft.ts';
import { slashCommands, type SlashCommand } from '../views/slash-table.ts';
import { readDraft } from './read-draft.ts';

describe('a draft that is read', () => {
  it('names the nearest command of one that does not exist', () => {
    const why = (draft: string) => readDraft(draftOf(draft));
    const more = 'Type / for the list, or put a space before it to send it to the model.';
    expect(why('/stauts')).toEqual({
      kind: 'refused',
      why: `There is no command /stauts. Did you mean /status? ${more}`,
    });
    expect(why('/frobnicate')).toEqual({ kind: 'refused', why: `There is no command /frobnicate. ${more}` });
  });

  it('is no command if words stand behind one that takes none', () => {
    for (const { name, takes } of slashCommands as readonly SlashCommand[]) {
      expect(readDraft(draftOf(`/${name} `)).kind).toBe('slash');
      expect([name, readDraft(draftOf(`/${name} the old logs`)).kind]).toEqual([
        name,
        takes === undefined ? 'refused' : 'slash',
      ]);
    }
  });
});
