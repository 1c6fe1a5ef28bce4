export function asScript(module: {
  readonly name: string;
  readonly code: string;
  readonly keptBy: readonly string[];
}): {
  readonly script: { readonly name: string; readonly code: string };
  readonly module: string;
};
