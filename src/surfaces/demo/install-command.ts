import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const commands = [
  ['apt-get', 'sudo apt-get install bubblewrap'],
  ['dnf', 'sudo dnf install bubblewrap'],
  ['pacman', 'sudo pacman -S bubblewrap'],
  ['zypper', 'sudo zypper install bubblewrap'],
  ['apk', 'sudo apk add bubblewrap'],
] as const;

/** How to install the sandbox's program on this system, if its package manager is one that we know. */
export function installCommand(path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return commands.find(([manager]) => folders.some((folder) => existsSync(join(folder, manager))))?.[1];
}
