import type { PaletteName } from './look.ts';
import type { BackRole, ColourRole } from './style.ts';

/** A colour for terminals of 16 colours (a code of SGR), of 256, and of all. */
export type Ink = readonly [sixteen: number, indexed: number | undefined, full: number | undefined];

/** Undefined for 256 or all: the terminal's own colour serves there too. */
const own = (sixteen: number): Ink => [sixteen, undefined, undefined];

const dark: Readonly<Record<ColourRole, Ink>> = {
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

const light: Readonly<Record<ColourRole, Ink>> = {
  ...dark,
  accent: [36, 24, 0x005f87],
  // Yellow cannot be read on white.
  warn: [33, 94, 0x8a5a00],
  keyword: [35, 90, 0x7a2ea0],
  string: [32, 22, 0x1d6b2f],
  comment: [90, 243, 0x6a737d],
  number: [33, 130, 0x9a5b00],
};

/** Blue and orange in the place of green and red. */
const darkColourBlind: Readonly<Record<ColourRole, Ink>> = {
  ...dark,
  good: [94, 75, 0x5fafff],
  bad: [33, 214, 0xffaf00],
  quote: [94, 75, 0x5fafff],
  string: [94, 117, 0x87d7ff],
};
const lightColourBlind: Readonly<Record<ColourRole, Ink>> = {
  ...light,
  good: [34, 25, 0x005faf],
  bad: [33, 130, 0xaf5f00],
  quote: [34, 25, 0x005faf],
  string: [34, 25, 0x005faf],
};

export const inks: Readonly<Record<PaletteName, Readonly<Record<ColourRole, Ink>>>> = {
  dark,
  light,
  'dark-colour-blind': darkColourBlind,
  'light-colour-blind': lightColourBlind,
};

/** A ground for terminals of 256 colours, and of all. Sixteen colours have no quiet one. */
type Ground = readonly [indexed: number, full: number];

const darkGrounds: Readonly<Record<BackRole, Ground>> = {
  tint: [236, 0x2a2d33],
  added: [22, 0x213a2b],
  removed: [52, 0x4a221d],
  'added-number': [22, 0x213a2b],
  'removed-number': [52, 0x4a221d],
};
const lightGrounds: Readonly<Record<BackRole, Ground>> = {
  tint: [255, 0xf2f3f5],
  added: [194, 0xdafbe1],
  removed: [224, 0xffebe9],
  'added-number': [194, 0xaceebb],
  'removed-number': [224, 0xffcecb],
};
const darkBlindGrounds: Readonly<Record<BackRole, Ground>> = {
  ...darkGrounds,
  added: [17, 0x1b2f4d],
  removed: [58, 0x4d3a12],
  'added-number': [17, 0x1b2f4d],
  'removed-number': [58, 0x4d3a12],
};
const lightBlindGrounds: Readonly<Record<BackRole, Ground>> = {
  ...lightGrounds,
  added: [189, 0xdceaff],
  removed: [223, 0xffedcc],
  'added-number': [189, 0xb6d4ff],
  'removed-number': [223, 0xffdc9c],
};

export const grounds: Readonly<Record<PaletteName, Readonly<Record<BackRole, Ground>>>> = {
  dark: darkGrounds,
  light: lightGrounds,
  'dark-colour-blind': darkBlindGrounds,
  'light-colour-blind': lightBlindGrounds,
};
