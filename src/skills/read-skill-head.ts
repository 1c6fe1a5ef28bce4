import { basename, dirname } from 'node:path';
import { withoutInvisible } from '../base/invisible.ts';
import { readYaml, type YamlTable } from './read-yaml.ts';

/** What a SKILL.md says of itself. */
export interface SkillHead {
  readonly kind: 'head';
  readonly name: string;
  /** In one line. */
  readonly description: string;
}

/** `reason` ends a sentence: "… is left out: {reason}." */
export interface WrongSkill {
  readonly kind: 'wrong';
  readonly reason: string;
}

const longestName = 64;

/** Reads the table between two lines of dashes at the top of the file. */
export function readSkillHead(text: string, path: string): SkillHead | WrongSkill {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (lines[0]?.trimEnd() !== '---' || end === -1)
    return wrong('it does not begin with a table between lines of `---`');
  const read = readYaml(lines.slice(1, end).join('\n'));
  if (read.kind === 'unread') return wrong(read.reason);
  const name = lineAt(read.table, 'name') ?? basename(dirname(path));
  const description = lineAt(read.table, 'description');
  if (description === undefined) return wrong('it has no `description`');
  if ([...name].length > longestName) return wrong(`its \`name\` is longer than ${longestName} characters`);
  return { kind: 'head', name, description };
}

/** Whether the file beside a skill lets the model choose it by itself. What cannot be read forbids nothing. */
export function mayBeChosen(text: string): boolean {
  const read = readYaml(text);
  const policy = read.kind === 'read' ? read.table['policy'] : undefined;
  if (policy === undefined || typeof policy === 'string' || Array.isArray(policy)) return true;
  return (policy as YamlTable)['allow_implicit_invocation'] !== 'false';
}

function lineAt(table: YamlTable, key: string): string | undefined {
  const value = table[key];
  const line = typeof value === 'string' ? withoutInvisible(value.split(/\s+/).join(' ')).trim() : '';
  return line === '' ? undefined : line;
}

function wrong(reason: string): WrongSkill {
  return { kind: 'wrong', reason };
}
