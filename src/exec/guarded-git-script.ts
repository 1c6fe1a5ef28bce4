/**
 * What git finds in the place of itself when it starts itself for another repository, such as a submodule. It then names
 * the repository in GIT_DIR, whose settings may name programs. Git itself is asked where that leads, which runs none of
 * them; what was not looked at before is refused, and what was is named by its real path, so nothing can take its place.
 */
export const guardedGitScript = `#!/bin/sh
if [ -n "\${GIT_DIR+set}" ]; then
  at=$("$CAPSTAN_GIT_PROGRAM" rev-parse --absolute-git-dir 2>/dev/null) || at=
  line='
'
  case "$at" in
    '' | *"$line"*) at= ;;
    "$CAPSTAN_GIT_WORKTREES"/*) ;;
    *) case "$line$CAPSTAN_GIT_FOLDERS$line" in
      *"$line$at$line"*) ;;
      *) at= ;;
    esac ;;
  esac
  if [ -z "$at" ]; then
    echo "Capstan does not let git work outside the sandbox in $(pwd -P): commands may have written that repository." >&2
    exit 128
  fi
  GIT_DIR=$at
  export GIT_DIR
fi
exec "$CAPSTAN_GIT_PROGRAM" "$@"
`;
