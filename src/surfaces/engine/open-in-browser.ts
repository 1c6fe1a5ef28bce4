import { startDetached } from '../../exec/start-detached.ts';
import type { EngineParts } from './engine-parts.ts';
import { programVariables } from './program-variables.ts';

/** Opens a page in the user's browser, if there is a screen for it. Whether it may have opened. */
export function openInBrowser(
  page: string,
  parts: Pick<EngineParts, 'programs' | 'programFolder' | 'options'>,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const { programs, programFolder, options } = parts;
  const { env } = options;
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (env[name] ?? '') !== '');
  if (platform === 'linux' && !hasScreen) return false;
  const program =
    platform === 'darwin' ? '/usr/bin/open' : platform === 'linux' ? programs.find('xdg-open') : undefined;
  if (program === undefined) return false;
  // It is a script that looks for browsers by their names.
  return startDetached([program, page], { cwd: programFolder(), env: programVariables(parts) });
}
