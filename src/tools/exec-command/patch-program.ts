/** The program `apply_patch` as commands can start it. */
export interface PatchProgram {
  /** The folder in which it stands under its names. */
  readonly folder: string;
  /** The Node that runs it: the one on a command's own path may be old, or none. */
  readonly node: string;
}

type Variables = Readonly<Record<string, string>>;

/**
 * A script that is nothing but a patch needs no shell (`interceptPatch`). One that does more, and calls `apply_patch`
 * on the way, finds it on its path. It works with the rights of the command, no more.
 */
export function withPatchProgram(env: Variables, script: string, { folder, node }: PatchProgram): Variables {
  const path = env['PATH'];
  if (path === undefined || !/apply_?patch/.test(script)) return env;
  return { ...env, PATH: `${folder}:${path}`, CAPSTAN_NODE: node };
}
