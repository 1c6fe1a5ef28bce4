import { describe, expect, test } from 'vitest';
import { type CrashChoice, SimulatedDisk } from './simulated-disk.ts';

const nothing: CrashChoice = () => 0;
const everything: CrashChoice = ({ most }) => most;
const options = { create: true, mode: 0o600 } as const;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (disk: SimulatedDisk, path: string): string | undefined => {
  const found = disk.contents(path);
  return found === undefined ? undefined : new TextDecoder().decode(found);
};

describe('a crash of the simulated disk', () => {
  test('keeps synced bytes, and of the others the chosen prefix', async () => {
    const disk = new SimulatedDisk();
    const file = await disk.open('/file', options);
    await disk.syncDirectory('/');
    await file.append(bytes('safe'));
    await file.sync();
    await file.append(bytes('lost'));
    const asked: unknown[] = [];
    const after = disk.crash((about) => {
      asked.push(about);
      return 2;
    });
    expect(asked).toEqual([{ path: '/file', what: 'bytes', most: 4 }]);
    expect(textOf(after, '/file')).toBe('safelo');
    // Bytes that survived one crash are on the disk and survive the next.
    expect(textOf(after.crash(nothing), '/file')).toBe('safelo');
  });

  test('takes a name that its folder was not synced for, and everything under it', async () => {
    const disk = new SimulatedDisk();
    await disk.makeDirectory('/one/two', 0o700);
    const file = await disk.open('/one/two/file', options);
    await file.append(bytes('synced, but under no name'));
    await file.sync();
    await disk.syncDirectory('/one/two');
    await disk.syncDirectory('/one');
    const copy = disk.kill();
    expect([...copy.crash(nothing).names().keys()]).toEqual(['/']);
  });

  test('asks about undurable names in the order of the tree', async () => {
    const disk = new SimulatedDisk();
    await disk.makeDirectory('/one/two', 0o700);
    await disk.open('/one/two/file', options);
    const after = disk.crash(({ what, path }) => (what === 'name' && path !== '/one/two/file' ? 1 : 0));
    expect([...after.names()]).toEqual([
      ['/', 0o755],
      ['/one/', 0o700],
      ['/one/two/', 0o700],
    ]);
  });

  test('undoes a truncation that was not synced', async () => {
    const disk = new SimulatedDisk();
    const file = await disk.open('/file', options);
    await disk.syncDirectory('/');
    await file.append(bytes('before'));
    await file.sync();
    await file.truncate(2);
    await file.append(bytes('xy'));
    expect(textOf(disk, '/file')).toBe('bexy');
    const other = disk.kill();
    const steps =
      (count: number): CrashChoice =>
      () =>
        count;
    expect(textOf(other.crash(steps(0)), '/file')).toBe('before');
    expect(textOf(other.crash(steps(1)), '/file')).toBe('be');
    expect(textOf(other.crash(steps(2)), '/file')).toBe('bex');
  });

  test('ends old handles, syncs in flight and locks', async () => {
    const disk = new SimulatedDisk();
    const file = await disk.open('/file', options);
    await disk.locks.take('/lock');
    await file.append(bytes('late'));
    const gate = Promise.withResolvers<void>();
    disk.slow = () => gate.promise;
    const syncing = file.sync();
    const after = disk.crash(everything);
    gate.resolve();
    await expect(syncing).rejects.toThrow("the simulated disk crashed: sync '/file'");
    await expect(file.append(bytes('x'))).rejects.toThrow('the simulated disk crashed');
    await expect(disk.list('/')).rejects.toThrow('the simulated disk crashed');
    expect(await after.locks.take('/lock')).toMatchObject({ kind: 'lock' });
    expect(textOf(after, '/file')).toBe('late');
  });

  test('refuses a choice that is out of range', async () => {
    const disk = new SimulatedDisk();
    await disk.open('/file', options);
    expect(() => disk.crash(() => 2)).toThrow(RangeError);
  });
});

describe('the simulated disk', () => {
  test('does not make bytes safe that were appended while a sync ran', async () => {
    const disk = new SimulatedDisk();
    const file = await disk.open('/file', options);
    await disk.syncDirectory('/');
    await file.append(bytes('first'));
    const gate = Promise.withResolvers<void>();
    disk.slow = () => gate.promise;
    const overlapping = [file.sync(), file.sync()];
    await file.append(bytes(' second'));
    gate.resolve();
    await Promise.all(overlapping);
    expect(textOf(disk.crash(nothing), '/file')).toBe('first');
  });

  test('keeps unsynced bytes unsynced when only the process dies', async () => {
    const disk = new SimulatedDisk();
    const file = await disk.open('/file', options);
    await disk.syncDirectory('/');
    await file.append(bytes('cached'));
    const next = disk.kill();
    await expect(file.size()).rejects.toThrow('was killed');
    expect(textOf(next, '/file')).toBe('cached');
    expect(textOf(next.crash(nothing), '/file')).toBe('');
  });

  test('fails on request, once, and leaves half of a failed write', async () => {
    const disk = new SimulatedDisk();
    disk.failNext('open', 'EACCES');
    await expect(disk.open('/file', options)).rejects.toMatchObject({ code: 'EACCES' });
    const file = await disk.open('/file', options);
    disk.failNext('append', 'EIO');
    await expect(file.append(bytes('abcd'))).rejects.toMatchObject({ code: 'EIO' });
    await file.append(bytes('!'));
    expect(textOf(disk, '/file')).toBe('ab!');
    disk.failNext('sync', 'EIO');
    await expect(file.sync()).rejects.toMatchObject({ code: 'EIO' });
    await file.sync();
    expect(disk.syncs).toBe(1);
  });

  test('is full at its capacity', async () => {
    const disk = new SimulatedDisk();
    disk.capacity = 5;
    const file = await disk.open('/file', options);
    await file.append(bytes('abc'));
    await expect(file.append(bytes('defg'))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(textOf(disk, '/file')).toBe('abcde');
    await file.truncate(0);
    await file.append(bytes('defg'));
    expect(textOf(disk, '/file')).toBe('defg');
  });

  test('answers like a file system about what is not there', async () => {
    const disk = new SimulatedDisk();
    expect(await disk.list('/missing')).toEqual([]);
    await expect(disk.open('/missing', { create: false, mode: 0o600 })).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(disk.open('/no/folder', options)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(disk.syncDirectory('/missing')).rejects.toMatchObject({ code: 'ENOENT' });
    const file = await disk.open('/file', options);
    await expect(disk.makeDirectory('/file/below', 0o700)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await file.append(bytes('abc'));
    expect(await file.read(1, 9)).toEqual(bytes('bc'));
    expect(await file.read(7, 9)).toEqual(bytes(''));
    await file.close();
    await expect(file.size()).rejects.toMatchObject({ code: 'EBADF' });
    expect(await disk.list('/')).toEqual(['file']);
  });

  test('has locks with one holder', async () => {
    const { locks } = new SimulatedDisk();
    const lock = await locks.take('/lock');
    expect(await locks.take('/lock')).toEqual({ kind: 'held', owner: 'the simulated writer' });
    if (lock.kind === 'lock') await lock.release();
    const again = await locks.take('/lock');
    // The first holder's second release must not free what is no longer its own.
    if (lock.kind === 'lock') await lock.release();
    expect(again.kind).toBe('lock');
    expect((await locks.take('/lock')).kind).toBe('held');
  });
});
