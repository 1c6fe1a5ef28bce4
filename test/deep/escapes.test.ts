import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEscapeLab, escaped, systemCall } from '../security/escape-lab.ts';

const lab = await createEscapeLab();
const suite = lab.isPossible ? describe : describe.skip;
const ok = `&& echo ${escaped}`;
const secretRead = (command: string): string => `${command} 2>/dev/null | head -c 200`;

type Attempts = readonly (readonly [name: string, script: string])[];

/** Attempts that are real without a sandbox: the same script reaches its goal there. */
const files: Attempts = [
  ['a new file outside', `echo x > $OUT/made ${ok}`],
  ['an existing file outside', `echo x > $OUT/file ${ok}`],
  ['the end of a file outside', `echo x >> $OUT/file ${ok}`],
  ['a file outside cut short', `truncate -s 0 $OUT/file ${ok}`],
  ['a file outside removed', `rm -f $OUT/file ${ok}`],
  ['a file outside renamed', `mv $OUT/file $OUT/other ${ok}`],
  ['a folder outside renamed', `mv $OUT $OUT-moved ${ok}; mv $OUT-moved $OUT 2>/dev/null`],
  ['modes outside', `chmod 777 $OUT/file ${ok}`],
  ['times outside', `touch -d 2001-01-01 $OUT/file ${ok}`],
  ['a file outside through a link to it', `ln -s $OUT/file link && echo x > link ${ok}`],
  ['a folder outside through a link to it', `ln -s $OUT link && echo x > link/made ${ok}`],
  ['a file outside through a chain of links', `ln -s $OUT a && ln -s a b && ln -s b c && echo x > c/made ${ok}`],
  ['a file outside through ..', `cd $REPO && echo x > ../sibling/made ${ok}`],
  ['a file outside through /proc/self/cwd', `echo x > /proc/self/cwd/../sibling/made ${ok}`],
  ['a file outside through /proc/self/root', `echo x > /proc/self/root$OUT/made ${ok}`],
  ['a file outside through an open descriptor', `exec 5< $OUT/file; echo x > /proc/self/fd/5 ${ok}`],
  ['a file outside through a hard link', `ln $OUT/file here && echo x > here ${ok}`],
  [
    'a file outside by a program from memory',
    `perl -e 'my $f = syscall(${process.arch === 'x64' ? 319 : 279}, my $name = "x", 0); open(my $o, ">&=", $f); binmode $o; open(my $i, "<", "/bin/sh"); local $/; my $d = readline($i); print $o $d; $o->flush; open(my $r, "<", "/proc/self/fd/$f"); close $o; exec {"/proc/self/fd/" . fileno($r)} "sh", "-c", "echo x > $ENV{OUT}/made && echo ${escaped}"'`,
  ],
  ['a protected file', `echo x > .codex/config.toml ${ok}`],
  ['a protected folder moved away', `mv .codex moved ${ok}; mv moved .codex 2>/dev/null`],
  [
    'a protected folder exchanged',
    `mkdir new && mv .codex old && mv new .codex ${ok}; rm -rf .codex; mv old .codex 2>/dev/null`,
  ],
  ['a missing protected name', `mkdir .git ${ok}`],
  ['a missing protected name as a link', `ln -s /tmp .agents ${ok}`],
  ['a missing protected name by a rename', `mkdir x && mv x .git ${ok}`],
  ['a repository', `git init -q . ${ok}`],
  ['the workspace renamed', `mv $REPO $REPO-moved ${ok}; mv $REPO-moved $REPO 2>/dev/null`],
  ['the secret', secretRead('cat $SECRET')],
  ['the secret through /proc/self/root', secretRead('cat /proc/self/root$SECRET')],
  ['the secret through a link', secretRead('ln -s $SECRET link; cat link')],
  ['the secret through a hard link', secretRead('ln $SECRET here; cat here')],
  ['the secret through a link to its folder', secretRead('ln -s $(dirname $SECRET) link; cat link/key')],
  [
    'the secret by a copy of the folder above it',
    secretRead('cp -r $(dirname $(dirname $SECRET)) copy; cat copy/secret/key'),
  ],
  ['the secret by an archive', secretRead('tar cf - $(dirname $SECRET) | tar xO')],
  ['the secret by search', secretRead('grep -r secret $(dirname $(dirname $SECRET))')],
  ['the secret moved', secretRead('mv $(dirname $SECRET) here; cat here/key')],
];

const network: Attempts = [
  ['TCP', `bash -c 'exec 3<>/dev/tcp/127.0.0.1/'$TCP ${ok}`],
  ['TCP over IPv6', `bash -c 'exec 3<>/dev/tcp/::1/'$TCP6 ${ok}`],
  ['UDP', `bash -c 'echo x > /dev/udp/127.0.0.1/'$UDP; sleep 0.1`],
  [
    'a path socket',
    `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un($ENV{SOCKET})) or exit 1' ${ok}`,
  ],
  [
    'an abstract socket',
    `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack("S a*", AF_UNIX, "\\0$ENV{ABSTRACT}")) or exit 1' ${ok}`,
  ],
  [
    'a path socket from Node',
    `$NODE -e 'require("net").connect(process.env.SOCKET).on("connect", () => { console.log("${escaped}"); process.exit() })'`,
  ],
];

const processes: Attempts = [
  ['a signal to the engine', `kill -USR2 $ENGINE ${ok}`],
  ['a signal to every process', `kill -WINCH -1; sleep 0.05`],
  ['the variables of the engine', `tr '\\0' '\\n' < /proc/$ENGINE/environ | grep -q = ${ok}`],
  ['the open files of the engine', `ls /proc/$ENGINE/fd/0 ${ok}`],
  ['the memory of the engine', `exec 3< /proc/$ENGINE/mem ${ok}`],
  ['the root of the engine', `echo x > /proc/$ENGINE/root$OUT/made ${ok}`],
  ['the working folder of the engine', `ls /proc/$ENGINE/cwd/ ${ok}`],
  ['the command line of the engine', `grep -q node /proc/$ENGINE/cmdline ${ok}`],
  ['a process that outlives the command', `(setsid sh -c 'sleep 0.4; echo x > late' > /dev/null 2>&1 &)`],
];

/** Attempts that could harm this machine if they were made outside of a sandbox. */
const kernel: Attempts = [
  ['ptrace of the first process', systemCall('ptrace', '16, 1, 0, 0')],
  ['ptrace of itself by a parent', systemCall('ptrace', '0, 0, 0, 0')],
  ['process_vm_readv of the first process', systemCall('process_vm_readv', '1, 0, 0, 0, 0, 0')],
  ['process_vm_writev of the first process', systemCall('process_vm_writev', '1, 0, 0, 0, 0, 0')],
  [
    'descriptors of the first process',
    `perl -e 'my $p = syscall(434, 1, 0); exit(syscall(438, $p, 0, 0) >= 0 ? 0 : 1)' ${ok}`,
  ],
  ['io_uring', systemCall('io_uring_setup', '8, my $x = "\\0" x 120')],
  ['the key ring of the session', systemCall('keyctl', '0, -3, 0')],
  ['a new key', systemCall('add_key', 'my $a = "user", my $b = "capstan", my $c = "x", 1, -3')],
  ['a key that is asked for', systemCall('request_key', 'my $a = "user", my $b = "capstan", 0, -3')],
  [
    'a program for the kernel',
    systemCall('bpf', '0, my $x = "\\1\\0\\0\\0\\4\\0\\0\\0\\4\\0\\0\\0\\1\\0\\0\\0" . "\\0" x 100, 72'),
  ],
  ['performance counters of other processes', systemCall('perf_event_open', 'my $x = "\\0" x 112, 1, -1, -1, 0')],
  ['a user namespace', systemCall('unshare', '0x10000000')],
  ['a mount namespace', systemCall('unshare', '0x00020000')],
  ['a user namespace by a program', `unshare --user --map-root-user true ${ok}`],
  [
    'the mount namespace of the first process',
    `exec 3< /proc/1/ns/mnt && perl -e 'exit(syscall(${process.arch === 'x64' ? 308 : 268}, 3, 0) >= 0 ? 0 : 1)' ${ok}`,
  ],
  ['the namespaces of the first process', `nsenter -t 1 -m -u true ${ok}`],
  ['a mount', `mkdir m; mount -t tmpfs none m ${ok}`],
  ['a bind mount', `mkdir m; mount --bind $OUT m ${ok}`],
  ['a writable root', `mount -o remount,rw / ${ok}`],
  ['a cover taken off', `umount .codex ${ok}; umount -l $(dirname $SECRET) ${ok}`],
  ['an overlay', `mkdir l u w m; mount -t overlay o -o lowerdir=$OUT,upperdir=u,workdir=w m ${ok}`],
  ['the new interface of mounts', systemCall('fsopen', 'my $x = "tmpfs", 0')],
  ['a copy of a tree of mounts', systemCall('open_tree', '-100, my $x = "/", 1')],
  ['attributes of mounts', systemCall('mount_setattr', '-100, my $x = "/", 0, my $y = "\\0" x 32, 32')],
  ['another root', systemCall('chroot', 'my $x = "."')],
  ['an exchanged root', systemCall('pivot_root', 'my $x = ".", my $y = "."')],
  ['a file by its number', systemCall('open_by_handle_at', '-100, my $x = "\\0" x 64, 0')],
  ['a disk made as a device', `mknod disk b 8 0 && head -c 1 disk > /dev/null ${ok}`],
  [
    'the memory of the machine',
    `mknod memory c 1 1 && head -c 1 memory > /dev/null ${ok}; head -c 1 /dev/mem > /dev/null ${ok}`,
  ],
  ['the log of the kernel', `test -c /dev/kmsg && echo x > /dev/kmsg ${ok}`],
  ['file systems by a helper', `test -e /dev/fuse ${ok}`],
  ['virtual machines', `test -e /dev/kvm ${ok}`],
  ['the pattern for core files', `echo x > /proc/sys/kernel/core_pattern ${ok}`],
  ['the loader of modules', `echo x > /proc/sys/kernel/modprobe ${ok}`],
  ['the keys of the system', `exec 3> /proc/sysrq-trigger ${ok}`],
  ['a control group', `mkdir /sys/fs/cgroup/capstan ${ok}`],
  ['the helper of hot plugging', `echo x > /sys/kernel/uevent_helper ${ok}`],
  ['a module', systemCall('init_module', 'my $x = "x", 1, my $y = ""')],
  ['another kernel', systemCall('kexec_load', '0, 0, 0, 0')],
  ['the name of the machine', systemCall('sethostname', 'my $x = "capstan", 7')],
  ['the clock', systemCall('settimeofday', 'my $x = "\\0" x 16, 0')],
  ['swapping', systemCall('swapon', 'my $x = "/etc/passwd", 0')],
  ['accounting', systemCall('acct', 'my $x = "/etc/passwd"')],
  ['ports of the processor', systemCall('iopl', '3')],
  ['capabilities', systemCall('capset', 'my $x = pack("LL", 0x20080522, 0), my $y = "\\xff" x 24')],
  ['another user', systemCall('setuid', '12345')],
  [
    'a program with the rights of its owner',
    `cp /bin/bash b; chmod u+s b; ./b -p -c 'grep -q "CapEff:.*[1-9a-f]" /proc/self/status' ${ok}`,
  ],
  ['a program that becomes root', `su -c 'echo x > $OUT/made' ${ok}; sudo -n sh -c 'echo x > $OUT/made' ${ok}`],
  [
    'typing into the terminal',
    `perl -e 'exit(ioctl(STDIN, 0x5412, my $x = "x") ? 0 : 1)' ${ok}; perl -e 'open(T, "+<", "/dev/tty") && ioctl(T, 0x5412, my $x = "x") or exit 1' ${ok}`,
  ],
  ['raw packets', systemCall('socket', '2, 3, 1')],
  ['packets of the link', systemCall('socket', '17, 3, 0')],
  ['messages to the kernel', systemCall('socket', '16, 3, 9')],
  ['the host of a virtual machine', systemCall('socket', '40, 1, 0')],
  [
    'calls of another convention',
    process.arch === 'x64' ? `perl -e 'exit(syscall(0x40000000 + 41, 2, 1, 0) >= 0 ? 0 : 1)' ${ok}` : 'false',
  ],
  ['shared memory of the machine', 'echo x > /dev/shm/capstan-escape'],
  ['a new name in the root folder', `mkdir /capstan-escape ${ok}`],
  ['the settings of users', `echo x >> /etc/passwd ${ok}`],
  ['tasks of the system', `echo x > /etc/cron.d/capstan-escape ${ok}`],
  ['the program of Capstan', `echo x >> $NODE ${ok}`],
];

suite('attempts to break out', () => {
  beforeEach(() => lab.reset());
  afterAll(() => lab.remove());

  test.each([...files, ...network, ...processes, ...kernel])('%s', async (_name, script) => {
    const { reached, text } = await lab.attempt(script);
    expect({ reached, text: reached.length === 0 ? '' : text }).toEqual({ reached: [], text: '' });
    const others = readdirSync(lab.base).filter((name) => name !== 'registry');
    expect(others.toSorted()).toEqual(['home', 'repo', 'sibling']);
  });

  test('nothing of them stays', () => {
    for (const path of ['/capstan-escape', '/dev/shm/capstan-escape', '/etc/cron.d/capstan-escape']) {
      expect(existsSync(path)).toBe(false);
    }
    expect(existsSync(join(lab.repo, 'late'))).toBe(false);
  });

  test('there are enough of them', () => {
    expect(files.length + network.length + processes.length + kernel.length).toBeGreaterThanOrEqual(100);
  });
});

/** Not real everywhere: a machine without IPv6 or git, or a signal that would reach other tests. */
const odd = new Set([
  'TCP over IPv6',
  'a repository',
  'a signal to every process',
  'a process that outlives the command',
]);

const hasTools = lab.isPossible && process.getuid?.() === 0;
(hasTools ? describe : describe.skip)('the same attempts without a sandbox', () => {
  const free = { type: 'disabled' } as const;
  let control: Awaited<ReturnType<typeof createEscapeLab>>;
  beforeAll(async () => void (control = await createEscapeLab()));
  afterAll(() => control.remove());
  beforeEach(() => control.reset());

  test.each([...files, ...network, ...processes].filter(([name]) => !odd.has(name)))(
    '%s succeeds',
    async (_name, script) => {
      const { reached } = await control.attempt(script, { profile: free });
      expect(reached).not.toEqual([]);
    },
  );
});
