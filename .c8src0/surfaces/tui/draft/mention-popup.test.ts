import { describe, expect, it } from 'vitest';
import { draftFromText } from './draft.ts';
import { expandDraft } from './draft-message.ts';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { type MentionItem, MentionPopup } from './mention-popup.ts';

const skill: MentionItem = { kind: 'skill', name: 'release', about: 'Makes a release.', text: '$release' };
const plugin: MentionItem = { kind: 'plugin', name: 'github', about: 'plugin', text: '@github' };
const file = (name: string): MentionItem => ({ kind: 'file', name, about: '', text: name });
const look = {
  ...defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' }),
  width: 40,
  now: 0,
  details: 'folded',
} as const;
const seeing = { takesPictures: true };

async function popupFor(text: string, tools: readonly MentionItem[] = [plugin, skill]) {
  const found = ['src/release.ts', 'shot.png', 'odd\u001B[2J\nname.ts', `${'long/'.repeat(12)}end.ts`].map(file);
  const popup = new MentionPopup(
    { tools: async () => tools, files: async (_, _signal, give) => give(found) },
    () => {},
  );
  popup.update(draftFromText(text));
  await Promise.resolve();
  await Promise.resolve();
  return popup;
}

describe('the list of mentions', () => {
  it('has plugins, skills, then files; left and right choose among them', async () => {
    const popup = await popupFor('@');
    expect(popup.rows(look, 24)).toEqual([
      '› @github   plugin',
      '  $release  Makes a release.',
      '  src/release.ts',
      '  shot.png',
      '  odd␛[2J␊name.ts',
      '  …/long/long/long/long/long/long/end.ts',
      '  Showing all (left and right switch)',
    ]);
    popup.switchFilter(1);
    expect(popup.chosen?.item.name).toBe('src/release.ts');
    popup.switchFilter(1);
    expect(popup.rows(look, 24)).toHaveLength(3);
  });

  it('narrows at once by what is typed, before a new search has ended', async () => {
    const popup = await popupFor('@');
    popup.update(draftFromText('@sht'));
    expect(popup.chosen?.item.name).toBe('shot.png');
    popup.update(draftFromText('@zz'));
    expect(popup.isOpen).toBe(true);
    expect(popup.chosen).toBeUndefined();
  });

  it('has tools among files only where they begin with what was typed', async () => {
    expect((await popupFor('@re')).chosen?.item).toBe(skill);
    expect((await popupFor('@e')).chosen?.item.name).toBe('src/release.ts');
    expect((await popupFor('$e')).chosen?.item).toBe(skill);
  });

  it('closed, it stays so for its word, and opens for the next one like it', async () => {
    const popup = await popupFor('see @s');
    popup.close();
    popup.update(draftFromText('now see @s'));
    expect(popup.isOpen).toBe(false);
    popup.update(draftFromText('now see @s and @s'));
    await Promise.resolve();
    expect(popup.isOpen).toBe(true);
  });

  it('of skills has only skills; a variable of the shell opens nothing', async () => {
    expect((await popupFor('$re')).chosen?.item).toBe(skill);
    for (const text of ['$RE', '$HOME', '$nothing']) expect((await popupFor(text)).isOpen).toBe(false);
    const shouting = { ...skill, name: 'REPORT', text: '$REPORT' };
    expect((await popupFor('$REP', [shouting])).chosen?.item).toBe(shouting);
  });

  it('puts a path, a skill or a picture into the draft', async () => {
    const inserted = async (text: string, model = seeing) => {
      const popup = await popupFor(text);
      return popup.insert(draftFromText(text), popup.chosen!, model);
    };
    expect(await inserted('see @src')).toMatchObject({
      text: 'see src/release.ts ',
      elements: [{ payload: { kind: 'mention', text: 'src/release.ts', path: 'src/release.ts' } }],
    });
    expect(await inserted('$re')).toMatchObject({ text: '$release ' });
    expect(await inserted('@shot')).toMatchObject({
      text: '[Image #1] ',
      elements: [{ payload: { kind: 'image', source: 'shot.png' } }],
    });
    expect(await inserted('@shot', { takesPictures: false })).toMatchObject({ text: 'shot.png ' });
    const odd = await inserted('@odd');
    expect(odd.text).toBe('odd␛[2J␊name.ts ');
    expect(odd.elements[0]?.payload).toMatchObject({ kind: 'mention', text: 'odd\u001B[2J\nname.ts' });
  });

  it('in a command for the shell, a path is one quoted word, and a picture is a path', async () => {
    const shell = async (text: string) => {
      const popup = await popupFor(text);
      return popup.insert(draftFromText(text), popup.chosen!, seeing);
    };
    expect((await shell('!cat @odd')).text).toBe("!cat 'odd␛[2J␊name.ts' ");
    expect(expandDraft(await shell('!cat @odd'))).toBe("!cat 'odd\u001B[2J\nname.ts' ");
    expect((await shell('!ls @shot')).text).toBe('!ls shot.png ');
  });
});
