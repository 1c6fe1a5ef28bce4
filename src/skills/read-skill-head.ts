import { basename, dirname } from 'node:path';
import { withoutInvisible } from '../base/invisible.ts';
import type { YamlTable } from './parse-yaml.ts';
import { readYaml, splitHead } from './read-yaml.ts';

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
export async function readSkillHead(text: string, path: string): Promise<SkillHead | WrongSkill> {
  if (withoutInvisible(path) !== path) return wrong('its path has characters that show nothing');
  const split = splitHead(text);
  if (split.kind === 'headless') return wrong('it does not begin with a table between lines of `---`');
  if (split.kind === 'open') return wrong('no line of `---` ends its table, which may have up to 64 KB');
  const read = await readYaml(split.head);
  if (read.kind === 'unread') return wrong(read.reason);
  const odd = ['name', 'description'].find((key) => typeof (read.table[key] ?? '') !== 'string');
  if (odd !== undefined) return wrong(`its \`${odd}\` is a list or a table; write a text, in quotes if need be`);
  const name = lineAt(read.table, 'name') ?? basename(dirname(path));
  const description = lineAt(read.table, 'description');
  if (description === undefined) return wrong('it has no `description`');
  if ([...name].length > longestName) return wrong(`its \`name\` is longer than ${longestName} characters`);
  return { kind: 'head', name, description };
}

const choiceKey = 'allow_implicit_invocation';

/** Whether the file beside a skill lets the model choose it by itself. What cannot be read forbids nothing. */
export async function mayBeChosen(text: string): Promise<boolean> {
  if (!text.includes(choiceKey)) return true;
  const read = await readYaml(text);
  const policy = read.kind === 'read' ? read.table['policy'] : undefined;
  if (policy === undefined || typeof policy === 'string' || Array.isArray(policy)) return true;
  const choice = (policy as YamlTable)[choiceKey];
  return typeof choice !== 'string' || choice.toLowerCase() !== 'false';
}

function lineAt(table: YamlTable, key: string): string | undefined {
  const value = table[key];
  const line = typeof value === 'string' ? withoutInvisible(value.split(/\s+/).join(' ')).trim() : '';
  return line === '' ? undefined : line;
}

function wrong(reason: string): WrongSkill {
  return { kind: 'wrong', reason };
}
