import type { SandboxRefused } from '../../ports/sandbox.ts';

/** The policy asks for something that no sandbox here can give (I10). */
export function unenforceable({ message, next }: { readonly message: string; readonly next: string }): SandboxRefused {
  return { kind: 'refused', code: 'policy-unenforceable', message, next };
}
