import type { Outcome } from '../../protocol/outcome.ts';

/** Where a server listens. */
export interface HttpAddress {
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
}

const ownMachine = '127.0.0.1';

/** `[HOST:]PORT`, with the host in brackets if it has colons. */
export function readHttpAddress(written: string): HttpAddress | Outcome<'usage'> {
  const parts = /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(written);
  const port = Number(parts?.[3]);
  if (parts !== null && port <= 65_535) return { host: parts[1] ?? (parts[2] || ownMachine), port };
  return {
    code: 'usage',
    message: `mcp-server: --http does not take ${JSON.stringify(written)}.`,
    next: 'Give a port, or a host and a port: `--http 8931` or `--http 127.0.0.1:8931`.',
  };
}
