import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** No program is found, and each that is not found is written down with its words. */
const driver = `
PATH=/nonexistent
command_not_found_handle() { printf '%s\\0' "$#" "$@" >&9; }
i=0
while IFS= read -r -d '' script <&7; do
  ( cd "$i" || exit; exec 9>>"../log-$i" 7<&-; eval "$script"; wait ) </dev/null >/dev/null 2>&1
  i=$((i + 1))
done
`;

/**
 * The commands that bash really starts for each of the scripts, in no order. The scripts must not define functions:
 * nothing could stop one that calls itself.
 */
export function runInBash(scripts: readonly string[]): readonly (readonly (readonly string[])[])[] {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-bash-'));
  try {
    for (const index of scripts.keys()) {
      mkdirSync(join(folder, String(index)));
      for (const name of ['a', 'b', 'ab']) writeFileSync(join(folder, String(index), name), '');
      writeFileSync(join(folder, `log-${index}`), '');
    }
    writeFileSync(join(folder, 'scripts'), scripts.map((script) => `${script}\0`).join(''));
    // `cat` ends when the last process that bash left behind does.
    const command = '{ bash --norc --noprofile -c "$1" 7<scripts; } 6>&1 | cat';
    spawnSync('/bin/sh', ['-c', command, 'sh', driver], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
    });
    return scripts.map((_, index) => calls(readFileSync(join(folder, `log-${index}`), 'utf8')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function calls(log: string): readonly (readonly string[])[] {
  const fields = log.split('\0').slice(0, -1);
  const found: string[][] = [];
  for (let at = 0; at < fields.length;) {
    const count = Number(fields[at]);
    found.push(fields.slice(at + 1, at + 1 + count));
    at += 1 + count;
  }
  return found;
}
