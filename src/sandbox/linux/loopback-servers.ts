import { closeSync, openSync, readSync } from 'node:fs';

/** Where a server of this machine listens for programs of this machine. */
export interface LoopbackServer {
  readonly host: '127.0.0.1' | '::1';
  readonly port: number;
}

/** Each is a socket of this process while the command runs. */
const mostServers = 512;
/** The tables have what listens first, and every connection after it. */
const mostBytes = 256 * 1024;

/** The servers that listen now, as the kernel lists them. */
export function loopbackServers(): readonly LoopbackServer[] {
  return readServers(tableAt('/proc/net/tcp'), tableAt('/proc/net/tcp6'));
}

/** A server at all addresses of version 6 is taken to answer at those of version 4 too, as it does by default. */
export function readServers(version4: string, version6: string): readonly LoopbackServer[] {
  const byVersion4 = listening(version4).filter(({ address }) => /^(?:0{8}|.{6}7F)$/.test(address));
  const everywhere = listening(version6).filter(({ address }) => /^0{32}$/.test(address));
  const byVersion6 = listening(version6).filter(({ address }) => /^0{24}01000000$/.test(address));
  const ports = new Set([...byVersion4, ...everywhere].map(({ port }) => port));
  return [
    ...[...ports].map((port) => ({ host: '127.0.0.1', port }) as const),
    ...byVersion6.map(({ port }) => ({ host: '::1', port }) as const),
  ];
}

/** As many as one command gets, and how many are left out. */
export function withinLimit(servers: readonly LoopbackServer[]): {
  readonly servers: readonly LoopbackServer[];
  readonly leftOut: number;
} {
  return { servers: servers.slice(0, mostServers), leftOut: Math.max(0, servers.length - mostServers) };
}

function listening(table: string): readonly { readonly address: string; readonly port: number }[] {
  return table.split('\n').flatMap((line) => {
    const [, address, port] = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 0A /.exec(line) ?? [];
    return address === undefined || port === undefined ? [] : [{ address, port: Number.parseInt(port, 16) }];
  });
}

function tableAt(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(mostBytes);
      let used = 0;
      for (let read = -1; read !== 0 && used < mostBytes; used += read) {
        read = readSync(file, bytes, used, mostBytes - used, null);
      }
      return bytes.toString('latin1', 0, used);
    } finally {
      closeSync(file);
    }
  } catch {
    // A kernel without this version of the protocol.
    return '';
  }
}
