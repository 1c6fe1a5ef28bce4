import type { ShellEnvironmentPolicy } from '../../policy/shell-environment-policy.ts';
import { shellQuoted } from '../../protocol/shell-words.ts';

/** Where the program at the end of the login shell keeps the variables that pass the policy and are no secrets. */
export interface KeepPlace {
  readonly folder: string;
  readonly key: string;
  readonly policy: Omit<ShellEnvironmentPolicy, 'set'>;
  /** Variables that hold keys of providers, whatever they are called. */
  readonly secretNames: readonly string[];
}

/** Where the variable that would change how Node starts stands meanwhile. */
export const nodeOptionsName = 'CAPSTAN_NODE_OPTIONS';

export interface KeepProgram {
  readonly node: string;
  /** The file of `keep-variables.ts`. */
  readonly path: string;
}

/** The last word of the login shell. It calls nothing by a bare name: what PATH says here is what start-up files made of it. */
export function loginShellScript({ node, path }: KeepProgram, place: KeepPlace | undefined): string {
  const words = [node, path, Buffer.from(JSON.stringify(place ?? null)).toString('base64url')];
  return [
    `if [ "\${NODE_OPTIONS+set}" = set ]; then`,
    `${nodeOptionsName}=$NODE_OPTIONS; export ${nodeOptionsName}; unset NODE_OPTIONS; fi;`,
    `exec ${words.map(shellQuoted).join(' ')}`,
  ].join(' ');
}
