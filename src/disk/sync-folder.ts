import { fileSystem } from './file-system.ts';

/** A new name lasts through a power cut when its folder is synced. Throws where the system cannot do it. */
export function syncFolder(folder: string): void {
  const { O_RDONLY, O_DIRECTORY } = fileSystem.constants;
  const file = fileSystem.openSync(folder, O_RDONLY | O_DIRECTORY);
  try {
    fileSystem.fsyncSync(file);
  } finally {
    fileSystem.closeSync(file);
  }
}
