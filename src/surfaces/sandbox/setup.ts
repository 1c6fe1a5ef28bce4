import type { Outcome } from '../../protocol/outcome.ts';
import type { Engine } from '../engine/engine.ts';
import { print, printNote } from '../terminal/print.ts';

/** `capstan sandbox setup`. */
export async function setUp(engine: Engine): Promise<number | Outcome> {
  printNote("Fetching the distribution's package of bubblewrap …");
  const unpacked = await engine.unpackBubblewrap();
  if ('code' in unpacked) return unpacked;
  print(`Unpacked ${unpacked.program}\nRun \`capstan sandbox check\` to see what it enforces here.\n`, 'text');
  return 0;
}
