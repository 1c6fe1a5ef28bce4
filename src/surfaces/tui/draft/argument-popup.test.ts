import { describe, expect, test } from 'vitest';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { draftFromText } from './draft.ts';
import type { Look } from '../screen/text/look.ts';
import { ArgumentPopup } from './argument-popup.ts';
import { argumentAtCursor, type ArgumentAtCursor, type ArgumentValue } from '../commands/slash-commands.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 60,
  now: 0,
  details: 'folded',
};

describe('the argument behind the cursor', () => {
  const asked = (text: string) => argumentAtCursor(draftFromText(text));

  test.each<[string, Partial<ArgumentAtCursor>]>([
    ['/theme ', { command: 'theme', kind: 'theme', typed: '' }],
    ['/Theme  da', { command: 'theme', typed: 'da' }],
    ['/permissions Read o', { typed: 'Read o', before: [], hasNext: false }],
    ['/model ', { kind: 'model', typed: '', hasNext: true }],
    ['/model gpt-5.5 hi', { kind: 'effort', before: ['gpt-5.5'], typed: 'hi', hasNext: false }],
    ['/cd my folder/s', { kind: 'folder', typed: 'my folder/s' }],
  ])('%j', (text, expected) => {
    expect(asked(text)).toMatchObject(expected);
  });

  test.each(['/theme', '/model gpt-5.5 high more', '/vim on', '/nothing x', 'theme x', '/theme a\nb'])(
    '%j has none',
    (text) => {
      expect(asked(text)).toBeUndefined();
    },
  );

  test('is none before the end of the draft', () => {
    expect(argumentAtCursor({ ...draftFromText('/theme dark'), cursor: 8 })).toBeUndefined();
  });
});

const known: Readonly<Record<string, readonly string[]>> = {
  theme: ['dark', 'dark-blind', 'light'],
  model: ['gpt-5.5', 'gpt-5.5-mini'],
  file: ['notes.md', 'src/'],
  background: ['10', '1'],
};

async function popupFor(text: string) {
  const seen: ArgumentAtCursor[] = [];
  const valuesOf = async (asked: ArgumentAtCursor): Promise<readonly ArgumentValue[]> => {
    seen.push(asked);
    return (known[String(asked.kind)] ?? ['a']).map((each) => ({ text: each, about: `about ${each}` }));
  };
  const popup = new ArgumentPopup(valuesOf, () => {});
  const type = async (typed: string): Promise<void> => {
    popup.update(draftFromText(typed));
    await Promise.resolve();
    await Promise.resolve();
  };
  await type(text);
  return { popup, type, seen };
}

describe('the list of arguments', () => {
  test.each([
    // Nothing is typed: Enter runs the command as it stands, Tab takes the first.
    ['/theme ', undefined, '/theme dark'],
    ['/theme l', '/theme light', '/theme light'],
    ['/theme BLIND', undefined, '/theme dark-blind'],
    // Other names may be meant.
    ['/model gpt-5.5-m', undefined, '/model gpt-5.5-mini '],
    ['/export no', undefined, '/export notes.md'],
    // The typed value itself comes first.
    ['/stop 1', '/stop 1', '/stop 1'],
  ])('%j: Enter %j, Tab %j', async (text, taken, completed) => {
    const { popup } = await popupFor(text);
    expect([popup.isOpen, popup.taken, popup.completed]).toEqual([true, taken, completed]);
  });

  test('what the user moves to is taken, whatever else may be meant', async () => {
    const { popup } = await popupFor('/model ');
    popup.move(1);
    popup.move(1);
    expect([popup.taken, popup.completed]).toEqual(['/model gpt-5.5-mini', '/model gpt-5.5-mini ']);
    popup.move(1);
    expect(popup.taken).toBe('/model gpt-5.5');
    expect(popup.rows(look, 24)).toEqual([
      '› gpt-5.5       about gpt-5.5',
      '  gpt-5.5-mini  about gpt-5.5-mini',
      '  Tab completes, Enter runs the command with it',
    ]);
  });

  test('is closed where it says nothing, or the user closed it, until the draft changes', async () => {
    const { popup, type, seen } = await popupFor('/theme x');
    expect(popup.isOpen).toBe(false);
    await type('/theme light');
    expect(popup.isOpen).toBe(false);
    await type('/theme da');
    popup.close();
    expect(popup.isOpen).toBe(false);
    await type('/theme dar');
    expect(popup.isOpen).toBe(true);
    // The names are asked for once, paths with each letter.
    expect(seen).toHaveLength(1);
    await type('/export n');
    await type('/export no');
    expect(seen).toHaveLength(3);
    await type('');
    expect(popup.isOpen).toBe(false);
  });
});
