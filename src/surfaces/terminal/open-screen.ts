import { wantsColor } from './look.ts';
import { Screen, type ScreenStream } from './screen.ts';

/** A screen on standard error, or on another stream. Only a terminal has a line that can be written over. */
export function openScreen(stream: ScreenStream = process.stderr): Screen {
  return new Screen({ stream, color: wantsColor(stream, 'auto'), live: isLive(stream) });
}

export function isLive(stream: ScreenStream): boolean {
  return stream.isTTY === true && process.env['TERM'] !== 'dumb';
}
