import type { StageLook } from './stage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How much a terminal can show, as far as its variables say. */
export function plainLook(env: Environment, places: Pick<StageLook, 'cwd' | 'home'>): StageLook {
  return {
    ...places,
    colours: coloursOf(env),
    palette: 'dark',
    glyphs: env['CAPSTAN_ASCII'] === '1' ? 'ascii' : 'unicode',
  };
}

function coloursOf(env: Environment): StageLook['colours'] {
  if ((env['NO_COLOR'] ?? '') !== '') return 'none';
  if (/truecolor|24bit/i.test(env['COLORTERM'] ?? '') || env['WT_SESSION'] !== undefined) return 'true';
  return /256/.test(env['TERM'] ?? '') ? '256' : 'sixteen';
}
