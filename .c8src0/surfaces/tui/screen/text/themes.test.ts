import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { drawRow } from './draw-row.ts';
import type { Look } from './look.ts';
import { parseTheme } from './user-themes.ts';
import { type ColourRole, styled } from './style.ts';
import {
  backgroundBrightness,
  findTheme,
  type TextColour,
  type Theme,
  themeChoices,
  type ThemeName,
  themeOf,
  themes,
} from './themes.ts';

const look: Look = {
  width: 60,
  colours: 'true',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/',
  home: '/',
};

/** The brightness of one colour to an eye. */
function luminance(full: number): number {
  const [red = 0, green = 0, blue = 0] = [full >> 16, (full >> 8) & 255, full & 255].map((byte) => {
    const part = byte / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: number, other: number): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** The colour as an eye without cones for green sees it: red and green cannot be told apart by their difference. */
function withoutGreen(full: number): readonly [number, number] {
  const [red, green, blue] = [full >> 16, (full >> 8) & 255, full & 255];
  return [0.625 * red + 0.375 * green, 0.3 * green + 0.7 * blue];
}

describe('themes', () => {
  it.each([
    ['dark', 4.5, 0x000000],
    ['light', 4.5, 0xffffff],
    ['dark-colour-blind', 4.5, 0x000000],
    ['light-colour-blind', 4.5, 0xffffff],
    ['dark-high-contrast', 7, 0x000000],
    ['light-high-contrast', 7, 0xffffff],
  ] as const)('%s can be read', (name, least, background) => {
    const weak = Object.entries(themeOf(name).inks).filter(
      ([, [, , full]]) => full !== undefined && contrast(full, background) < least,
    );
    expect(weak).toEqual([]);
  });

  it.each(['light', 'light-colour-blind'] as const)(
    '%s leaves no colour to the terminal: many are made for black',
    (name) => {
      expect(Object.entries(themeOf(name).inks).filter(([, [, , full]]) => full === undefined)).toEqual([]);
    },
  );

  it.each(['dark-colour-blind', 'light-colour-blind'] as const)('%s has no pair of red and green', (name) => {
    const { good, bad } = themes[name].inks as Record<'good' | 'bad', TextColour>;
    const [one, other] = [withoutGreen(good[2]!), withoutGreen(bad[2]!)];
    expect(Math.hypot(one[0] - other[0], one[1] - other[1])).toBeGreaterThan(100);
    // Green and red by the terminal's own sixteen colours are as bad.
    expect([31, 32, 91, 92]).not.toContain(good[0]);
    expect([31, 32, 91, 92]).not.toContain(bad[0]);
  });

  it('a plain theme has weights alone, and a strong one nothing dim', () => {
    const row = [styled('a', { colour: 'bad', weight: 'bold' }), styled('b', { colour: 'good', weight: 'dim' })];
    expect(drawRow(row, { ...look, palette: 'plain' })).toBe('\u001B[1ma\u001B[0;2mb\u001B[0m');
    expect(drawRow(row, { ...look, colours: 'sixteen', palette: 'dark-high-contrast' })).not.toMatch(/[[;]2[;m]/);
    expect(drawRow(row, { ...look, palette: 'ansi' })).toBe('\u001B[1;31ma\u001B[0;2;32mb\u001B[0m');
  });

  it('a choice follows the background where it can', () => {
    expect(themeChoices.map(({ name }) => findTheme(name)?.name)).toEqual(themeChoices.map(({ name }) => name));
    expect(findTheme('high-contrast')?.on('light')).toBe('light-high-contrast');
    expect(findTheme('color-blind')?.on('dark')).toBe('dark-colour-blind');
    expect(findTheme('Dark')?.on('light')).toBe('dark');
    for (const name of ['auto', 'colour-blind', 'high-contrast']) {
      const unknown = themeOf(findTheme(name)!.on('unknown'));
      const made = Object.values(unknown.inks).filter(
        ([, indexed, full]) => indexed !== undefined || full !== undefined,
      );
      expect([unknown.grounds, made]).toEqual([{}, []]);
    }
    expect(findTheme('dracula')).toBeUndefined();
    expect([backgroundBrightness([30, 30, 46]), backgroundBrightness([253, 246, 227])]).toEqual(['dark', 'light']);
  });
});

describe("a theme of the user's", () => {
  it('changes what it names', () => {
    const text =
      '{"extends":"light","colours":{"accent":"#ff8000","good":42,"bad":"bright-red"},"backgrounds":{"tint":"#101010"}}';
    const theme = parseTheme('mine', text) as Theme;
    expect(theme.inks).toEqual({
      ...themes.light.inks,
      accent: [36, 208, 0xff8000],
      good: [32, 42, undefined],
      bad: [91, undefined, undefined],
    });
    expect(theme.grounds.tint).toEqual([16, 0x101010]);
    expect(drawRow([styled('x', { colour: 'accent' })], { ...look, palette: theme })).toBe(
      '\u001B[38;2;255;128;0mx\u001B[0m',
    );
  });

  it.each([
    ['[]', /^it must be an object$/],
    ['{', /^it is not JSON/],
    ['{"colors":{}}', /^"colors" is not known\. Use "extends", "colours", "backgrounds" and "dim"$/],
    ['{"extends":"dracula"}', /^"extends" must be one of dark, light/],
    ['{"colours":{"accnt":"#000000"}}', /^colours has no "accnt"\. Use accent/],
    ['{"colours":{"accent":"\\u001b[2J"}}', /^"accent" of colours must be "#rrggbb"/],
    ['{"colours":{"accent":256}}', /^"accent" of colours must be/],
    ['{"colours":{"__proto__":"#000000"}}', /^colours has no "__proto__"/],
  ])('%s is refused with what to write', (text, problem) => {
    expect(parseTheme('mine', text)).toEqual({
      problem: expect.stringMatching(problem),
    });
  });

  it('never gets anything but colours to the terminal', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constantFrom('#12aBcd', 'red', 'bright-cyan', 7),
      fc.jsonValue(),
    );
    const roles = fc.constantFrom<ColourRole>('accent', 'good', 'bad');
    fc.assert(
      fc.property(fc.dictionary(roles, value), fc.constantFrom<ThemeName>('dark', 'ansi', 'plain'), (colours, from) => {
        const theme = parseTheme('mine', JSON.stringify({ extends: from, colours }));
        if ('problem' in theme) return;
        for (const level of ['true', '256', 'sixteen'] as const) {
          const drawn = drawRow([styled('x', { colour: 'accent' })], { ...look, colours: level, palette: theme });
          expect(drawn).toMatch(/^(?:\u001B\[[\d;]+mx\u001B\[0m|x)$/);
        }
      }),
      { numRuns: 100 * inject('runFactor') },
    );
  });
});
