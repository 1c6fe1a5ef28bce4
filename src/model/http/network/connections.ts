import type { Socket } from 'node:net';

/** A connection that carries one exchange after the other. */
export interface Carrier {
  readonly socket: Socket;
  /** It has carried one before: it may be dead without our knowing. */
  readonly isReused: boolean;
}

const mostIdle = 16;
/** A server that says how long it keeps a connection may be a little faster than we are. */
const marginMs = 1000;

/** `readable`: the end of the connection, or bytes that belong to no request. */
const signsOfEnd = ['timeout', 'close', 'readable'] as const;

/** Connections to one peer that wait for their next exchange. They do not keep the process alive. */
export class Connections {
  readonly #idle: { readonly socket: Socket; readonly drop: () => void }[] = [];

  /** The newest: it is the least likely to be dead. */
  take(): Carrier | undefined {
    for (;;) {
      const kept = this.#idle.pop();
      if (kept === undefined) return undefined;
      const { socket, drop } = kept;
      if (socket.destroyed || !socket.writable || socket.readableEnded || socket.readableLength > 0) {
        drop();
        continue;
      }
      for (const event of signsOfEnd) socket.off(event, drop);
      socket.setTimeout(0);
      socket.ref();
      return { socket, isReused: true };
    }
  }

  /** One was dead without our knowing: the others may be as well. */
  clear(): void {
    while (this.#idle.length > 0) this.#idle.at(-1)!.drop();
  }

  /** `keepAlive`: the header of that name, in which a server says for how long it keeps the connection. */
  give(socket: Socket, keepAlive: string | undefined): void {
    const seconds = /(?:^|,)\s*timeout=(\d{1,6})/i.exec(keepAlive ?? '')?.[1];
    const keptMs = seconds === undefined ? 0 : Number(seconds) * 1000 - marginMs;
    const isOdd = socket.destroyed || socket.readableLength > 0;
    if (isOdd || this.#idle.length >= mostIdle || (seconds !== undefined && keptMs <= 0)) {
      socket.destroy();
      return;
    }
    const drop = (): void => {
      const at = this.#idle.findIndex((each) => each.socket === socket);
      if (at !== -1) this.#idle.splice(at, 1);
      socket.destroy();
    };
    this.#idle.push({ socket, drop });
    socket.setTimeout(keptMs);
    socket.unref();
    for (const event of signsOfEnd) socket.on(event, drop);
  }
}
