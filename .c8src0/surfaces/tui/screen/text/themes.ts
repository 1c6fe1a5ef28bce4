import type { BackRole, ColourRole } from './style.ts';

type Inks = Readonly<Record<ColourRole, TextColour>>;
type Grounds = Readonly<Record<BackRole, BackgroundColour>>;
/** One of the terminal's own 16 colours. Undefined makes terminals with more colours use it too. */
const own = (sixteen: number): TextColour => [sixteen, undefined, undefined];

const dark: Inks = {
  accent: own(36),
  good: own(32),
  bad: own(31),
  warn: own(33),
  special: own(35),
  quote: own(32),
  marker: own(94),
  keyword: [35, 176, 0xc792ea],
  string: [32, 114, 0xa5d6a7],
  comment: [90, 245, 0x8a919c],
  number: [33, 215, 0xf2ae72],
};

const light: Inks = {
  ...dark,
  accent: [36, 24, 0x005f87],
  // Green and bright blue of many terminals are made for black.
  good: [32, 22, 0x116329],
  bad: [31, 124, 0xb3261e],
  special: [35, 90, 0x7a2ea0],
  quote: [32, 22, 0x1d6b2f],
  marker: [34, 25, 0x0550ae],
  // Yellow is unreadable on white.
  warn: [33, 94, 0x8a5a00],
  keyword: [35, 90, 0x7a2ea0],
  string: [32, 22, 0x1d6b2f],
  comment: [90, 243, 0x6a737d],
  number: [33, 130, 0x9a5b00],
};

const darkColourBlind: Inks = {
  ...dark,
  good: [94, 75, 0x5fafff],
  bad: [33, 214, 0xffaf00],
  quote: [94, 75, 0x5fafff],
  string: [94, 117, 0x87d7ff],
};
const lightColourBlind: Inks = {
  ...light,
  good: [34, 25, 0x005faf],
  bad: [33, 130, 0xaf5f00],
  quote: [34, 25, 0x005faf],
  string: [34, 25, 0x005faf],
};

/** Contrast of at least seven against black or white. */
const darkHighContrast: Inks = {
  accent: [96, 51, 0x00ffff],
  good: [92, 83, 0x5fff5f],
  bad: [91, 217, 0xffafaf],
  warn: [93, 227, 0xffff5f],
  special: [95, 219, 0xffafff],
  quote: [92, 157, 0xafffaf],
  marker: [96, 159, 0xafffff],
  keyword: [95, 219, 0xffafff],
  string: [92, 157, 0xafffaf],
  comment: [97, 252, 0xd0d0d0],
  number: [93, 229, 0xffffaf],
};
const lightHighContrast: Inks = {
  accent: [34, 18, 0x000087],
  good: [32, 22, 0x004400],
  bad: [31, 88, 0x870000],
  warn: [30, 52, 0x5f3300],
  special: [35, 53, 0x5f005f],
  quote: [32, 22, 0x004400],
  marker: [34, 18, 0x000087],
  keyword: [35, 53, 0x5f005f],
  string: [32, 22, 0x004400],
  comment: [30, 238, 0x444444],
  number: [31, 52, 0x5f0000],
};

const sixteenOf = (inks: Inks): Theme['inks'] =>
  Object.fromEntries(Object.entries(inks).map(([role, [sixteen]]) => [role, own(sixteen)]));
const ansi = sixteenOf(dark);

const grounds = (
  tint: BackgroundColour,
  added: BackgroundColour,
  removed: BackgroundColour,
  numbers = [added[1], removed[1]] as const,
): Grounds => ({
  tint,
  added,
  removed,
  'added-number': [added[0], numbers[0]],
  'removed-number': [removed[0], numbers[1]],
});
const [darkTint, lightTint]: readonly BackgroundColour[] = [
  [236, 0x2a2d33],
  [255, 0xf2f3f5],
];
const darkGrounds = grounds(darkTint!, [22, 0x213a2b], [52, 0x4a221d]);
const lightGrounds = grounds(lightTint!, [194, 0xdafbe1], [224, 0xffebe9], [0xaceebb, 0xffcecb]);
const darkBlindGrounds = grounds(darkTint!, [17, 0x1b2f4d], [58, 0x4d3a12]);
const lightBlindGrounds = grounds(lightTint!, [189, 0xdceaff], [223, 0xffedcc], [0xb6d4ff, 0xffdc9c]);
const shades = { hasDim: true } as const;
const strong = { hasDim: false, grounds: {} } as const;

const looks = {
  dark: { inks: dark, grounds: darkGrounds, ...shades },
  light: { inks: light, grounds: lightGrounds, ...shades },
  'dark-colour-blind': { inks: darkColourBlind, grounds: darkBlindGrounds, ...shades },
  'light-colour-blind': { inks: lightColourBlind, grounds: lightBlindGrounds, ...shades },
  'dark-high-contrast': { inks: darkHighContrast, ...strong },
  'light-high-contrast': { inks: lightHighContrast, ...strong },
  // For an unknown background: terminal colours, which fit it, and no ground.
  'colour-blind': { inks: sixteenOf(darkColourBlind), grounds: {}, ...shades },
  'high-contrast': { inks: ansi, ...strong },
  ansi: { inks: ansi, grounds: {}, ...shades },
  plain: { inks: {}, grounds: {}, ...shades },
} as const satisfies Readonly<Record<string, Omit<Theme, 'name'>>>;

export type ThemeName = keyof typeof looks;

export const themes = Object.fromEntries(
  Object.entries(looks).map(([name, look]) => [name, { name, ...look }]),
) as Readonly<Record<ThemeName, Theme>>;
export const themeOf = (palette: ThemeName | Theme): Theme => (typeof palette === 'string' ? themes[palette] : palette);
/** A colour for terminals with 16 colours (SGR code), 256, and all. */
export type TextColour = readonly [sixteen: number, indexed: number | undefined, full: number | undefined];
/** A ground for terminals with 256 colours, and all. Sixteen colours have no quiet one. */
export type BackgroundColour = readonly [indexed: number, full: number];

/** The colours of a look. A role without a colour is drawn as plain text; meaning never depends on colour alone. */
export interface Theme {
  readonly name: string;
  readonly inks: Readonly<Partial<Record<ColourRole, TextColour>>>;
  readonly grounds: Readonly<Partial<Record<BackRole, BackgroundColour>>>;
  /** False: dim text is drawn as plain text. */
  readonly hasDim: boolean;
}

/** `unknown`: the terminal has not reported it. */
export type TerminalBackground = 'dark' | 'light' | 'unknown';

/** A choice for users: one theme, or two of which the terminal background selects one. */
export interface ThemeChoice {
  readonly name: string;
  readonly about: string;
  on(background: TerminalBackground): ThemeName | Theme;
}

export const autoTheme: ThemeChoice = {
  name: 'auto',
  about: 'dark or light, by the background of the terminal',
  on: (background) => (background === 'unknown' ? 'ansi' : background),
};

function pair(name: 'colour-blind' | 'high-contrast', about: string): ThemeChoice {
  return { name, about, on: (background) => (background === 'unknown' ? name : `${background}-${name}`) };
}

const fixed = (name: ThemeName, about: string): ThemeChoice => ({ name, about, on: () => name });

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

/** Finds a choice by name, in either spelling of *colour*. */
export function findTheme(name: string, own: readonly ThemeChoice[] = []): ThemeChoice | undefined {
  const wanted = name.toLowerCase().replace('color-blind', 'colour-blind');
  return own.find((choice) => choice.name === name) ?? themeChoices.find((choice) => choice.name === wanted);
}

export const ownTheme = (theme: Theme): ThemeChoice => ({ name: theme.name, about: 'your own', on: () => theme });
/** True for a built-in theme, which an own theme can extend. */
export const isBuiltInTheme = (name: string): name is ThemeName => Object.hasOwn(themes, name);

export const backgroundBrightness = ([red, green, blue]: readonly [number, number, number]): 'dark' | 'light' =>
  0.299 * red + 0.587 * green + 0.114 * blue > 128 ? 'light' : 'dark';
