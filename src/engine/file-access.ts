/** File access for surfaces, which open nothing themselves. */
export {
  fileSystem,
  kindOfEntry,
  listFolderNames as namesIn,
  realPath,
  diskErrorReason as reasonOf,
} from '../adapters/disk/file-system.ts';
export {
  describeFileKind as nounFor,
  readBounded,
  missingFileReason as whyMissing,
} from '../adapters/disk/regular-files.ts';
export {
  procFolders as processFolders,
  removeFoldersOfDeadProcesses as sweepFolders,
} from '../adapters/disk/processes.ts';
export { nodeProgramFiles } from '../adapters/disk/node-program-files.ts';
export { recordedChanges } from '../adapters/tools/apply-patch/recorded-changes.ts';
