import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** A tunnel on which nothing is said for so long is closed. */
export const idleMs = 10 * 60_000;
/** How long a program may take to read a refusal. */
const lingerMs = 2000;

/** Carries bytes both ways until both sides are done, or one breaks. Each side may end on its own. */
export function joinSockets(one: Duplex, other: Socket): void {
  const end = (): void => {
    one.destroy();
    other.destroy();
  };
  for (const side of [one, other]) side.on('error', end).on('close', end);
  other.setTimeout(idleMs, end);
  one.pipe(other);
  other.pipe(one);
}

/** Says one last thing. What still comes is read and dropped, or the other side could not read the answer to its end. */
export function endWith(socket: Duplex, bytes: string | Buffer): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.on('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(bytes);
  socket.resume();
}
