import type { GuardedRepository } from '../../policy/command-ground.ts';

/** Services that tell a program who its user is and where a host is. Without them ssh does not start on some machines. */
const names = ['/run/nscd/socket', '/run/systemd/resolve', '/run/systemd/userdb', '/var/lib/sss/pipes'];

/** Where git reaches the agents that hold keys, by the variables that it will have. Nothing need stand there. */
export function agentSockets(env: Readonly<Record<string, string>>): GuardedRepository['sockets'] {
  const { SSH_AUTH_SOCK: ssh = '', GNUPGHOME: chosen, HOME: home, XDG_RUNTIME_DIR: runtime } = env;
  const own = chosen ?? (home === undefined ? undefined : `${home}/.gnupg`);
  const folders = [own, runtime && `${runtime}/gnupg`, `/run/user/${process.getuid?.()}/gnupg`];
  const used = new Set(folders.filter((folder) => folder?.startsWith('/') === true));
  return {
    ssh: ssh.startsWith('/') ? [ssh] : [],
    gpg: [...used].flatMap((folder) => ['S.gpg-agent', 'S.keyboxd'].map((name) => `${folder}/${name}`)),
    names,
  };
}
