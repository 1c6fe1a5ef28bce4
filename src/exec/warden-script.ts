import type { Programs } from '../ports/program-files.ts';
import { shellQuoted } from '../protocol/shell-words.ts';

/** Every command has this variable, with a value of its own: what it starts inherits it, wherever it goes. */
export const markName = 'CAPSTAN_COMMAND';

/**
 * For any POSIX shell. It reads `+ WORD` and `- WORD`; a word is `MARK` for a command that is about to start and
 * `MARK:GROUP` for one that runs. At the end of its input, which is the end of the process that wrote it, it kills the
 * groups that still stand and whatever carries a mark; those about to start are looked for longer, because a sandbox
 * under construction hides its variables.
 *
 * It runs outside of every sandbox, so it calls programs by their paths.
 */
export function wardenScript(platform: string, programs: Programs): string {
  const tool = (name: string): string => shellQuoted(programs.find(name) ?? `/bin/${name}`);
  return `words=
while read -r sign word; do
  rest=
  for each in $words; do [ "$each" = "$word" ] || rest="$rest $each"; done
  [ "$sign" = + ] && rest="$rest $word"
  words=$rest
done
[ -n "$words" ] || exit 0
${platform === 'darwin' ? markedOnMacos(tool('ps')) : markedOnLinux(tool('grep'))}
rounds=2
for word in $words; do
  case $word in
    *:*) kill -s KILL -- "-\${word#*:}" ;;
    *) rounds=40 ;;
  esac
done
while [ "$rounds" -gt 0 ]; do
  for word in $words; do
    for process in $(marked "${markName}=\${word%%:*}"); do
      kill -s KILL "$process"
      kill -s KILL -- "-$process"
    done
  done
  rounds=$((rounds - 1))
  ${tool('sleep')} 0.05
done
`;
}

/** A process whose first thread has ended looks dead, and its variables stand under its other threads alone. */
const markedOnLinux = (grep: string): string => `marked() {
  for file in $(${grep} -lF "$1" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    echo "\${file%/environ}"
  done
  for file in $(${grep} -l "^State:[[:space:]]*[ZX]" /proc/[0-9]*/status); do
    file=\${file%/status}
    ${grep} -qF "$1" "$file"/task/[0-9]*/environ && echo "\${file#/proc/}"
  done
}`;

/** The system hides the variables of its own programs, so that this finds less than on Linux. */
const markedOnMacos = (ps: string): string => `marked() {
  ${ps} -axww -E -o pid= -o command= | while read -r process text; do
    case $text in *"$1"*) echo "$process" ;; esac
  done
}`;
