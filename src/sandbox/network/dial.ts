import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { isAddress } from '../../policy/network/host-name.ts';

/** The ways out of the proxy. Tests replace them. */
export interface Ways {
  /** All addresses of a name. Rejects if it has none. */
  resolve(name: string): Promise<readonly string[]>;
  /** Opens a connection to exactly this address, until the signal ends it. Rejects if it does not answer. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Socket>;
}

const connectMs = 15_000;

export const systemWays: Ways = {
  async resolve(name) {
    const found = await lookup(name, { all: true, order: 'ipv4first' });
    return found.map(({ address }) => address);
  },
  connect: (address, port, signal) =>
    new Promise((resolve, reject) => {
      // It is an address and no name, so nothing is looked up again.
      if (!isAddress(address)) return reject(new Error('no address'));
      const socket = connect({ host: address, port, allowHalfOpen: true, signal: AbortSignal.any([signal]) });
      const timer = setTimeout(() => socket.destroy(new Error('timed out')), connectMs);
      socket.once('error', (error) => (clearTimeout(timer), reject(error)));
      socket.once('connect', () => (clearTimeout(timer), resolve(socket)));
    }),
};

/** The first address that answers. */
export async function dialFirst(
  ways: Ways,
  { addresses, port }: { readonly addresses: readonly string[]; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown = new Error('no address');
  for (const address of addresses.slice(0, 4)) {
    try {
      return await ways.connect(address, port, signal);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Rejects if the promise takes longer. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), milliseconds);
    // A command that ended asks for nothing any more; no process stays for it.
    timer.unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
