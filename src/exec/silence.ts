import type { EventEmitter } from 'node:events';

/**
 * For what has ended. Node holds a child, a socket, a pipe that was closed until its next full collection, and by the
 * listeners all that they know: of each command that outlived two small collections 45 KB would stay.
 */
export function silence(ended: EventEmitter): void {
  ended.removeAllListeners().on('error', ignore);
}

/** A listener for the end of what it is added to. */
export function silenceThis(this: EventEmitter): void {
  silence(this);
}

/** Without a listener an error would end the process. */
export function ignore(): void {}
