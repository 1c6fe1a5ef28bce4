import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParseState, Parser as TreeParser } from 'web-tree-sitter';
import type { Clock } from '../../ports/clock.ts';
import type { LoadShellReader, ShellReader } from '../../ports/shell-reader.ts';
import type { ReadScript } from '../../protocol/read-script.ts';
import { readTree } from './read-tree.ts';

/** No system takes a longer argument. */
const maximumLength = 128 * 1024;
/** An honest script of that length takes 250 ms at most. Nonsense makes the parser try millions of ways to read it. */
const maximumTime = 400;

interface ShellReaderOptions {
  /** The folder of the package, built or not. */
  readonly root: string;
  readonly clock: Clock;
}

/** The parser is loaded by the first call. */
export function createShellReaderLoader({ root, clock }: ShellReaderOptions): LoadShellReader {
  let reader: Promise<ShellReader> | undefined;
  return () => (reader ??= loadShellReader({ root, clock }));
}

async function loadShellReader({ root, clock }: ShellReaderOptions): Promise<ShellReader> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init({ wasmBinary: wasmFile(root, 'web-tree-sitter') });
  const parser = new Parser();
  parser.setLanguage(await Language.load(wasmFile(root, 'tree-sitter-bash')));
  let isBroken = false;
  return {
    read: (script) => {
      if (isBroken || script.length > maximumLength || script.includes('\0')) return undefined;
      try {
        return parsed(parser, script, clock);
      } catch {
        // Its memory cannot be trusted any more. From here on every script is unknown.
        isBroken = true;
        return undefined;
      }
    },
  };
}

function parsed(parser: TreeParser, script: string, clock: Clock): ReadScript | undefined {
  const end = clock.now() + maximumTime;
  // A script with an error is not read anyway: the parser need not look for the least wrong way to read it.
  const progressCallback = ({ hasError }: ParseState) => hasError || clock.now() > end;
  const tree = parser.parse(script, null, { progressCallback });
  if (tree === null) {
    parser.reset();
    return undefined;
  }
  try {
    return tree.rootNode.hasError ? undefined : readTree(tree.rootNode, script);
  } finally {
    tree.delete();
  }
}

/** The build copies them (scripts/build.mjs); sources that were not built find them where npm put them. */
function wasmFile(root: string, name: string): Uint8Array {
  const built = join(root, 'dist/wasm', `${name}.wasm`);
  return readFileSync(existsSync(built) ? built : join(root, 'node_modules', name, `${name}.wasm`));
}
