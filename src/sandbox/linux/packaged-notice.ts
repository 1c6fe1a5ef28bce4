import type { RunnableCommand } from '../../ports/sandbox.ts';
import type { Bubblewrap } from './bubblewrap.ts';

/** What the user should know when Capstan's own copy of bubblewrap is used. */
export function packagedNotice({ path, insteadOf }: Bubblewrap): NonNullable<RunnableCommand['notice']> {
  const used = `Capstan runs commands in the copy that it unpacked: ${path}.`;
  if (insteadOf !== undefined) {
    const next = 'Commands are sandboxed; no action is needed.';
    return { code: 'sandbox-replaced', message: `${insteadOf.message} ${used}`, next };
  }
  return {
    code: 'sandbox-packaged',
    message: `bubblewrap is not on the PATH. ${used}`,
    next: 'Install the package "bubblewrap" to get its updates.',
  };
}
