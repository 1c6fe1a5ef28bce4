import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../testing/test-inputs.ts';
import type { WorkRecords } from '../../compaction/plan/work-records.ts';
import { foldPatchedFiles, foldRestoredFiles } from './files-put-back.ts';

const none: WorkRecords = { files: [] };
const back = { restored: ['/repo/app.js'], deleted: ['/repo/sub', '/repo/sub/new.txt', '/repo/submarine.txt'] };

describe('files that the user put back', () => {
  it('are listed without the folders that they are in', () => {
    expect(foldRestoredFiles(none, back).putBack?.map(({ path }) => path)).toEqual([
      '/repo/app.js',
      '/repo/sub/new.txt',
      '/repo/submarine.txt',
    ]);
  });

  it('are folded in one pass, also where a line names thousands', () => {
    const work = expectLinear(6400, (length) => {
      const named = (folder: string) => Array.from({ length }, (_, at) => `/home/user/project/${folder}/${at}.ts`);
      return foldRestoredFiles(none, { restored: named('src'), deleted: ['/home/user/project/old', ...named('old')] });
    });
    expect(work.putBack).toHaveLength(12_800);
  });

  it.each([
    ['the file itself', '/repo/app.js', ['/repo/empty']],
    ['a file below a folder', '/repo/empty/other.txt', ['/repo/app.js']],
    ['a file whose name begins alike', '/repo/empty.txt', ['/repo/app.js', '/repo/empty']],
  ])('are no more once a patch changed %s', (_name, path, left) => {
    const work = foldRestoredFiles(none, { restored: ['/repo/app.js'], deleted: ['/repo/empty'] });
    expect(foldPatchedFiles(work, [{ path, kind: 'add' }]).putBack?.map((file) => file.path)).toEqual(left);
  });
});
