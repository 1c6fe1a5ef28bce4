import type { Stats } from 'node:fs';
import type { ProgramFiles } from '../../ports/system.ts';
import { fileSystem as fs, realPath } from './file-system.ts';

const worldWritable = 0o002;
const sticky = 0o1000;

export const nodeProgramFiles: ProgramFiles = {
  place: realPath,
  program(path) {
    try {
      if (fs.statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
      fs.accessSync(path, fs.constants.X_OK);
      return fs.realpathSync(path);
    } catch {
      return undefined;
    }
  },
  isWritableByOthers(folder) {
    try {
      if (isOpen(fs.statSync(folder))) return true;
      // The sticky bit of a parent folder keeps other users from renaming its entries, so such a parent may be open.
      // It would not keep them from adding names to the folder itself.
      for (let above = folder; above !== '/';) {
        above = above.slice(0, above.lastIndexOf('/')) || '/';
        const found = fs.statSync(above);
        if (isOpen(found) && (found.mode & sticky) === 0) return true;
      }
      return false;
    } catch {
      return true;
    }
  },
};

/** A group may be trusted by the administrator; `staff` owns /usr/local on Debian. */
function isOpen({ uid, mode }: Stats): boolean {
  return (mode & worldWritable) !== 0 || (uid !== 0 && uid !== process.getuid?.());
}
