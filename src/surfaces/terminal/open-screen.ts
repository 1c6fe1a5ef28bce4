import type { Variables } from '../../protocol/variables.ts';
import { wantsColor } from './look.ts';
import { Screen, type ScreenStream } from './screen.ts';
import type { SizedStream } from './terminal-width.ts';

/** A screen on standard error, or on another stream. Only a terminal has a line that can be written over. */
export function openScreen(stream: ScreenStream = process.stderr): Screen {
  return new Screen({ stream, color: wantsColor(stream, 'auto'), live: isLive(stream) });
}

/** Whether a line can be written over. */
export function isLive({ isTTY }: SizedStream, env: Variables = process.env): boolean {
  return isTTY === true && env['TERM'] !== 'dumb';
}
