import { formatTomlKey } from '../../config/toml-key.ts';
import { fileSystem, reasonOf } from '../../disk/file-system.ts';
import { writeOwnFile } from '../../disk/own-file.ts';
import { readBounded } from '../../disk/read-bounded.ts';
import { stringAt, valueAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { readLimits } from '../files/read-limits.ts';
import { parseToml } from '../config/parse-toml.ts';

export interface HookDecision {
  readonly key: string;
  /** What is trusted. Absent: nothing any more. */
  readonly hash?: string;
}

/**
 * Writes what is trusted into the user's configuration, one table for each hook. All else stays byte for byte. A file in
 * which the decision would not be read back is left as it is.
 */
export async function writeHookTrust(path: string, decisions: readonly HookDecision[]): Promise<Outcome | undefined> {
  const file = readBounded(path, { maxBytes: readLimits.configBytes });
  if (file.kind === 'unread') return unwritten(path, file.reason);
  const before = file.kind === 'read' ? file.bytes.toString('utf8') : '';
  const after = decisions.reduce(withDecision, before);
  if (after === before) return undefined;
  const parsed = await parseToml(after);
  const holds = decisions.every(({ key, hash }) => {
    const table = parsed.kind === 'parsed' ? valueAt(parsed.json, ['hooks', 'state', key]) : undefined;
    return parsed.kind === 'parsed' && stringAt(isJsonObject(table) ? table : undefined, 'trusted_hash') === hash;
  });
  if (!holds) return unwritten(path, 'the hooks in it are decided about in a form that Capstan cannot change');
  try {
    const real = file.kind === 'read' ? fileSystem.realpathSync(path) : path;
    writeOwnFile(real, `${real}.${process.pid}.new`, after);
    return undefined;
  } catch (error) {
    return unwritten(path, reasonOf(error));
  }
}

/** The table of the hook as this program writes it goes, and a new one comes at the end. */
function withDecision(text: string, { key, hash }: HookDecision): string {
  const header = `[${formatTomlKey(['hooks', 'state', key])}]`;
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim() === header);
  const end = at < 0 ? -1 : lines.findIndex((line, index) => index > at && line.trimStart().startsWith('['));
  const others = at < 0 ? lines : [...lines.slice(0, at), ...(end < 0 ? [] : lines.slice(end))];
  const rest = others.join('\n').replace(/\n*$/, '\n');
  return hash === undefined ? rest : `${rest}\n${header}\ntrusted_hash = "${hash}"\n`;
}

function unwritten(path: string, why: string): Outcome<'hooks-not-saved'> {
  const next = 'Write the tables [hooks.state."KEY"] with trusted_hash yourself.';
  return { code: 'hooks-not-saved', message: `${path} was not changed: ${why}.`, next };
}
