import { fileSystem, isMissing, reasonOf } from '../../disk/file-system.ts';
import { withRegular } from '../../disk/regular-file.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { bytesOfRules, ownRules, type RuleParts, withRulesLocked } from './write-rule.ts';

/**
 * Makes a comment of a line in the user's own file, by its first letter: nothing else of the file changes, and no crash
 * leaves half of it. Gives why it could not. Never rejects.
 */
export async function revokeRule(line: string, { home, locks, clock }: RuleParts): Promise<Outcome | undefined> {
  const path = ownRules(home);
  let isFound = false;
  try {
    await withRulesLocked(path, { locks, clock }, () => {
      withRegular(path, { links: 'followed', flags: fileSystem.constants.O_RDWR }, (file) => {
        for (const at of placesOf(bytesOfRules(file), line)) {
          fileSystem.writeSync(file, '#', at);
          isFound = true;
        }
        fileSystem.fsyncSync(file);
      });
    });
  } catch (error) {
    if (!isMissing(error)) {
      const message = `The rule was not revoked: ${path} cannot be written: ${reasonOf(error)}.`;
      return { code: 'rule-not-revoked', message, next: `Remove this line from it yourself: ${line}` };
    }
  }
  if (isFound) return undefined;
  const message = `The rule was not revoked: ${path} has no such line.`;
  return { code: 'rule-not-revoked', message, next: 'Look at the file: the rule may be written in another way.' };
}

/** Where the line stands, in bytes. The same line may be there several times. */
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
