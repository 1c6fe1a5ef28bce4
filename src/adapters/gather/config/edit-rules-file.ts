import { isBannedPrefix } from '../../../core/policy/rules/banned-prefixes.ts';
import { hostRuleLine, prefixRuleLine, runRulesFile } from '../../../core/policy/rules/rules-file.ts';
import type { RuleToSave } from '../../../ports/ask-user.ts';
import type { Locks } from '../../../ports/files.ts';
import type { Clock } from '../../../ports/system.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { quoteShellCommand } from '../../../protocol/shell.ts';
import { fileSystem, isMissing, diskErrorReason } from '../../disk/file-system.ts';
import { readUpTo, withRegularFile } from '../../disk/regular-files.ts';
import { readLimits } from '../files/read-guard.ts';
import { withFileLocked } from './edit-user-config.ts';
import { dirname } from 'node:path';

export type CommandRule = Exclude<RuleToSave, { readonly kind: 'mcp' }>;
export type RuleFilePorts = { readonly home: string; readonly locks: Pick<Locks, 'take'>; readonly clock: Clock };

/** Adds the rule to the user's own file, once. Returns the reason if it failed. Never rejects. */
export async function writeRule(
  rule: CommandRule,
  { home, locks, clock }: RuleFilePorts,
): Promise<Outcome | undefined> {
  const line = rule.kind === 'prefix' ? prefixRuleLine(rule.prefix) : hostRuleLine(rule.host.name, rule.host.protocol);
  const refusal = refusalOfRule(rule, line);
  if (refusal !== undefined) return refusal;
  const path = userRulesPath(home);
  try {
    fileSystem.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await withFileLocked(path, { locks, clock }, () => addLine(path, line));
    return undefined;
  } catch (error) {
    const message = `The rule was not saved: ${path} cannot be written: ${diskErrorReason(error)}.`;
    return { code: 'rule-unsaved', message, next: `Add this line to it yourself: ${line}` };
  }
}

export const userRulesPath = (home: string): string => `${home}/rules/default.rules`;

/** Refuses a line that would be parsed as something else, or not at all. */
function refusalOfRule(rule: CommandRule, line: string): Outcome | undefined {
  if (rule.kind === 'prefix' && isBannedPrefix(rule.prefix)) {
    const message = `A rule for ${JSON.stringify(quoteShellCommand(rule.prefix))} would allow any command.`;
    return { code: 'rule-too-wide', message, next: 'Allow a longer beginning of the command.' };
  }
  const read = line.isWellFormed() ? runRulesFile(line, { file: 'default.rules' }) : undefined;
  if (read?.kind === 'read') return undefined;
  const why = read === undefined ? 'It contains a broken character.' : read.message;
  return { code: 'rule-unsaved', message: `The rule cannot be saved. ${why}`, next: read?.next ?? '' };
}

/**
 * Appends the line as a comment, so that a crash or a full disk leaves nothing with a meaning, then changes its first
 * letter to make it a rule. Other programs may append at the same time.
 */
function addLine(path: string, line: string): void {
  const { O_RDWR, O_APPEND, O_CREAT } = fileSystem.constants;
  const comment = `#${line.slice(1)}`;
  const isNew = withRegularFile(
    path,
    { links: 'followed', flags: O_RDWR | O_APPEND | O_CREAT, mode: 0o600 },
    (file) => {
      const text = readRulesBytes(file);
      if (text.toString('utf8').split('\n').includes(line)) return false;
      const isOpen = text.length > 0 && text.at(-1) !== 0x0a;
      const added = Buffer.from(`${isOpen ? '\n' : ''}${comment}\n`);
      checkFits(text, added, line);
      fileSystem.writeSync(file, added);
      fileSystem.fsyncSync(file);
      return true;
    },
  );
  if (!isNew) return;
  withRegularFile(path, { links: 'followed', flags: O_RDWR }, (file) => {
    const at = readRulesBytes(file).lastIndexOf(`${comment}\n`);
    if (at === -1) throw new Error('the disk is full');
    fileSystem.writeSync(file, line.slice(0, 1), at);
    fileSystem.fsyncSync(file);
  });
}

/** One rule too many would disable the whole file, including rules that forbid, so nothing is written then. */
function checkFits(text: Buffer, added: Buffer, line: string): void {
  if (text.length + added.length >= readLimits.configBytes) throw new Error('it would become too large');
  const file = 'default.rules';
  const before = text.toString('utf8');
  const after = runRulesFile(`${before}\n${line}\n`, { file });
  if (after.kind === 'read' || runRulesFile(before, { file }).kind !== 'read') return;
  throw new Error(`with the rule it could not be read any more (${after.message})`);
}

export function readRulesBytes(file: number): Buffer {
  const most = readLimits.configBytes;
  const { size } = fileSystem.fstatSync(file);
  if (size >= most) throw new Error('it is too large');
  return readUpTo(file, { most, expected: size });
}

/**
 * Makes a line of the user's file a comment by its first letter: a crash leaves nothing half-done. Returns the reason
 * if it failed. Never rejects.
 */
export async function revokeRule(line: string, { home, locks, clock }: RuleFilePorts): Promise<Outcome | undefined> {
  const path = userRulesPath(home);
  let isFound = false;
  try {
    await withFileLocked(path, { locks, clock }, () => {
      withRegularFile(path, { links: 'followed', flags: fileSystem.constants.O_RDWR }, (file) => {
        for (const at of placesOf(readRulesBytes(file), line)) {
          fileSystem.writeSync(file, '#', at);
          isFound = true;
        }
        fileSystem.fsyncSync(file);
      });
    });
  } catch (error) {
    if (!isMissing(error)) {
      const message = `The rule was not revoked: ${path} cannot be written: ${diskErrorReason(error)}.`;
      return { code: 'rule-not-revoked', message, next: `Remove this line from it yourself: ${line}` };
    }
  }
  if (isFound) return undefined;
  const message = `The rule was not revoked: ${path} has no such line.`;
  return { code: 'rule-not-revoked', message, next: 'Look at the file: the rule may be written in another way.' };
}

/** Byte offsets of the line, which may occur several times. */
function placesOf(text: Buffer, line: string): readonly number[] {
  const places: number[] = [];
  const newline = 0x0a;
  for (let at = text.indexOf(line); at !== -1; at = text.indexOf(line, at + 1)) {
    const end = at + Buffer.byteLength(line);
    const isWhole = (at === 0 || text[at - 1] === newline) && (end === text.length || text[end] === newline);
    if (isWhole) places.push(at);
  }
  return places;
}
