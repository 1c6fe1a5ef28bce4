interface Module {
  readonly name: string;
  /** Relative to the folder of the program. */
  readonly fileName: string;
  readonly code: string;
}

export function asScripts(modules: {
  readonly program: Module;
  readonly first: Module;
  readonly later: Module;
  readonly entry: Module;
  readonly keptBy: readonly string[];
  readonly kinds: readonly string[];
  readonly isWorthKeeping: string;
}): {
  readonly scripts: readonly { readonly name: string; readonly code: string }[];
  readonly program: string;
  readonly first: string;
  readonly later: string;
  readonly entry: string;
};
