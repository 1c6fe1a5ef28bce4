import type { RunnableCommand } from '../../ports/sandbox.ts';
import type { Bubblewrap } from './bubblewrap.ts';

/** What the user should know when the system has no bubblewrap of its own. */
export function packagedNotice({ path }: Bubblewrap): NonNullable<RunnableCommand['notice']> {
  return {
    code: 'sandbox-packaged',
    message: `bubblewrap is not on the PATH, so Capstan runs commands in the copy that it unpacked: ${path}.`,
    next: 'Install the package "bubblewrap" to get its updates.',
  };
}
