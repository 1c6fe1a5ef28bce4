import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's own folder, from sources and from any depth of the bundle: what was built and unpacked is there. */
export function packageRoot(): string {
  const { existsSync } = process.getBuiltinModule('node:fs');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
