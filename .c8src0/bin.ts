#!/usr/bin/env node
import { version } from './protocol/version.ts';

// Repeats protocol/version.ts: a shared module would become another chunk to import.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  const { runOnOwnNode } = await import('./surfaces/cli/own-node.ts');
  // Not `import.meta.dirname`: Node 18 lacks it, and the path would start at the working folder.
  const own = new URL('../node_modules/node/bin/node', import.meta.url);
  const code = await runOnOwnNode(decodeURIComponent(own.pathname));
  if (code !== undefined) process.exit(code);
  process.stderr.write(
    `capstan: Node ${process.versions.node} is too old.\n         Run it with Node 22.19 or newer: https://nodejs.org\n`,
  );
  process.exit(1);
}

// An error may quote a file or a server; its bytes must not steer the terminal.
process.on('uncaughtException', (error: unknown) => {
  const told = String(error instanceof Error ? (error.stack ?? error.message) : error);
  const shown = told.replaceAll(/[^\n\t -~]/gu, (sign) => `<U+${sign.codePointAt(0)?.toString(16).toUpperCase()}>`);
  process.getBuiltinModule('node:fs').writeSync(2, `${shown}\n`);
  process.exit(1);
});

// Find the command before loading anything: each surface is a chunk of its own.
const words = process.argv.slice(2);
const byName = 'apply_patch by name';
const asHelper = 'sandbox by name';
const patchMode = '--codex-run-as-apply-patch';
keepCompiled();
switch (commandByName() ?? words[0]) {
  case '--version':
  case '-V':
    process.stdout.write(`capstan ${version}\n`);
    break;
  case 'exec':
  case 'e':
    process.exitCode = await (await import('./surfaces/exec/run-exec.ts')).runExec(words.slice(1));
    break;
  case byName:
    process.exitCode = (await applyPatch()).runApplyPatch(words, 'command');
    break;
  case asHelper:
    process.exitCode = await (
      await import('./surfaces/cli/run-command-line.ts')
    ).runCommandLine(['sandbox', 'linux', ...words]);
    break;
  case 'apply_patch':
    process.exitCode = (await applyPatch()).runApplyPatch(words.slice(1), 'command');
    break;
  case patchMode:
    process.exitCode = (await applyPatch()).runApplyPatch(words.slice(1), 'mode');
    break;
  default:
    process.exitCode =
      (await bareOnTerminal()) ?? (await (await import('./surfaces/cli/run-command-line.ts')).runCommandLine(words));
}

/** A bare `capstan` on a terminal starts the terminal surface without loading any command tables. */
async function bareOnTerminal(): Promise<number | undefined> {
  if (words.length > 0 || !process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return (await import('./surfaces/tui/boot/open-without-command.ts')).openWithoutCommand();
}

/**
 * Keeps Node's compile cache for the next start. A process that can write there can run code here, so it must not be
 * Node's default in the temporary folder, which sandboxed commands can write. It is kept beside the program, which is
 * as well guarded, or in the user's own folder.
 */
function keepCompiled(): void {
  const { constants, enableCompileCache } = process.getBuiltinModule('node:module');
  const { status } = enableCompileCache(`${import.meta.dirname}/../.local/compiled`);
  if (status !== constants.compileCacheStatus.FAILED) return;
  enableCompileCache(`${process.getBuiltinModule('node:os').homedir()}/.cache/capstan/compiled`);
}

function commandByName(): string | undefined {
  if (isNamed('apply_patch', 'applypatch')) return byName;
  return isNamed('codex-linux-sandbox', 'capstan-linux-sandbox') ? asHelper : undefined;
}

function isNamed(...names: readonly string[]): boolean {
  return [process.argv0, process.argv[1] ?? ''].some((path) => names.includes(path.slice(path.lastIndexOf('/') + 1)));
}

function applyPatch() {
  return import('./surfaces/cli/run-apply-patch.ts');
}
