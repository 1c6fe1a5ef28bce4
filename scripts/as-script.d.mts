interface Module {
  readonly name: string;
  readonly fileName: string;
  readonly code: string;
}

export function asScripts(modules: {
  readonly first: Module;
  readonly later: Module;
  readonly entry: Module;
  readonly keptBy: readonly string[];
}): {
  readonly scripts: readonly { readonly name: string; readonly code: string }[];
  readonly first: string;
  readonly later: string;
  readonly entry: string;
};
