import { programName } from './program-name.ts';

const address = /^["']?https?:\/\//i;
const openers = new Set(['start-process', 'saps', 'invoke-item', 'ii', 'start', 'explorer', 'mshta', 'rundll32']);
const browsers = new Set(['chrome', 'msedge', 'firefox', 'iexplore']);
const removers = new Set(['remove-item', 'ri', 'rm', 'del', 'erase', 'rd', 'rmdir']);

/** The shells of Windows, whose scripts no grammar here reads: their words are looked at one statement at a time. */
export function windowsDanger(words: readonly string[]): 'forced-removal' | 'destructive' | undefined {
  const [program = '', ...rest] = words;
  const name = programName(program);
  if (name === 'cmd') {
    const at = rest.findIndex((word) => /^\/[ck]/i.test(word));
    return at < 0 ? undefined : strictestOf(statementsOf(rest.slice(at + 1), /&&|\|\||[&|\n]/).map(dangerOfCmd));
  }
  if (name !== 'powershell' && name !== 'pwsh') return undefined;
  const at = rest.findIndex((word) => /^[-/]c(?:o|om|omm|omma|omman|ommand)?$/i.test(word));
  return strictestOf(statementsOf(at < 0 ? rest : rest.slice(at + 1), /[;|&\n{}()]/).map(dangerOfPowerShell));
}

function statementsOf(words: readonly string[], separator: RegExp): readonly (readonly string[])[] {
  return words
    .join(' ')
    .split(separator)
    .map((statement) => statement.trim().split(/\s+/));
}

function dangerOfCmd([command = '', ...rest]: readonly string[]): 'forced-removal' | 'destructive' | undefined {
  const name = programName(command.replace(/^"|"$/g, ''));
  const has = (letter: string): boolean => rest.some((word) => word.toLowerCase().includes(`/${letter}`));
  if ((name === 'del' || name === 'erase') && has('f')) return 'forced-removal';
  if ((name === 'rd' || name === 'rmdir') && has('s') && has('q')) return 'forced-removal';
  return opensAddress(name, rest);
}

function dangerOfPowerShell([command = '', ...rest]: readonly string[]): 'forced-removal' | 'destructive' | undefined {
  const name = programName(command.replace(/^["']|["']$/g, ''));
  // Any beginning that is no other option's: `-fo` and longer.
  if (removers.has(name) && rest.some((word) => /^-fo(?:r|rc|rce)?(?::\$true)?$/i.test(word))) return 'forced-removal';
  return opensAddress(name, rest);
}

function opensAddress(name: string, rest: readonly string[]): 'destructive' | undefined {
  const isOpened = (openers.has(name) || browsers.has(name)) && rest.some((word) => address.test(word));
  return isOpened ? 'destructive' : undefined;
}

function strictestOf(found: readonly ('forced-removal' | 'destructive' | undefined)[]) {
  return found.find((kind) => kind !== undefined);
}
