/** The colours that a picture of a screen is drawn with. */
export interface PictureColours {
  readonly text: string;
  readonly ground: string;
  readonly edge: string;
  /** The sixteen colours that a user's terminal has a say in. */
  readonly sixteen: readonly string[];
}

/** A ground of its own: it can be read on light and on dark pages. */
export const darkColours: PictureColours = {
  text: '#e6edf3',
  ground: '#0d1117',
  edge: '#3d444d',
  sixteen:
    '#484f58 #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4 #8b949e #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #ffffff'.split(
      ' ',
    ),
};

export const lightColours: PictureColours = {
  text: '#1f2328',
  ground: '#ffffff',
  edge: '#d1d9e0',
  sixteen:
    '#24292f #cf222e #116329 #9a6700 #0969da #8250df #1b7c83 #6e7781 #57606a #a40e26 #1a7f37 #633c01 #218bff #a475f9 #3192aa #8c959f'.split(
      ' ',
    ),
};

const steps = [0, 95, 135, 175, 215, 255];

/** One of the 256: sixteen, a cube of six steps each way, and greys. */
export function indexedColour(index: number, { sixteen }: PictureColours): string {
  if (index < 16) return sixteen[index]!;
  if (index >= 232) return hexOf([0, 0, 0].map(() => 8 + (index - 232) * 10));
  const at = index - 16;
  return hexOf([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => steps[step]!));
}

/** Somewhere between two colours; 1 is the first of them. */
export function mixed(first: string, second: string, share: number): string {
  const [one, other] = [bytesOf(first), bytesOf(second)];
  return hexOf(one.map((byte, at) => Math.round(byte * share + other[at]! * (1 - share))));
}

export function hexOf(bytes: readonly number[]): string {
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function bytesOf(hex: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}
