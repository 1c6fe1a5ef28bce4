import type { Theme } from './theme.ts';
import { type ThemeName, themes } from './themes.ts';

/** `unknown`: the terminal has not said it. */
export type Background = 'dark' | 'light' | 'unknown';

/** What a user may choose: a theme, or one of a pair by the background of the terminal. */
export interface ThemeChoice {
  readonly name: string;
  readonly about: string;
  on(background: Background): ThemeName | Theme;
}

/** What holds where nothing was chosen. */
export const autoTheme: ThemeChoice = {
  name: 'auto',
  about: 'dark or light, by the background of the terminal',
  on: (background) => (background === 'unknown' ? 'ansi' : background),
};

function pair(name: 'colour-blind' | 'high-contrast', about: string): ThemeChoice {
  return { name, about, on: (background) => (background === 'unknown' ? name : `${background}-${name}`) };
}

function fixed(name: ThemeName, about: string): ThemeChoice {
  return { name, about, on: () => name };
}

/** In the order of the list. */
export const themeChoices: readonly ThemeChoice[] = [
  autoTheme,
  fixed('dark', 'for a dark background'),
  fixed('light', 'for a light background'),
  pair('colour-blind', 'blue and orange instead of green and red, by the background'),
  fixed('dark-colour-blind', 'blue and orange on dark'),
  fixed('light-colour-blind', 'blue and orange on light'),
  pair('high-contrast', 'strong colours and nothing dim, by the background'),
  fixed('dark-high-contrast', 'strong colours on black'),
  fixed('light-high-contrast', 'strong colours on white'),
  fixed('ansi', 'the sixteen colours of the terminal, and no grounds'),
  fixed('plain', 'no colours; bold and dim stay'),
];

/** A choice by its name, also in the other spelling of *colour*. */
export function findTheme(name: string, own: readonly ThemeChoice[] = []): ThemeChoice | undefined {
  const wanted = name.toLowerCase().replace('color-blind', 'colour-blind');
  return own.find((choice) => choice.name === name) ?? themeChoices.find((choice) => choice.name === wanted);
}

/** A theme that the user made. */
export function ownTheme(theme: Theme): ThemeChoice {
  return { name: theme.name, about: 'your own', on: () => theme };
}

/** What a theme of the user's may begin with. */
export function isThemeName(name: string): name is ThemeName {
  return Object.hasOwn(themes, name);
}

/** By the colour behind the text. */
export function backgroundOf([red, green, blue]: readonly [number, number, number]): 'dark' | 'light' {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 128 ? 'light' : 'dark';
}
