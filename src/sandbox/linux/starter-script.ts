import type { JsonObject } from '../../protocol/json.ts';

/** Where a sandbox shows the Node that runs the script: the policy may hide the place where it really is. */
export const starterNode = '/dev/capstan-node';

/** What the script is sent. */
export interface StarterMessage extends JsonObject {
  readonly argv: string[];
  readonly env: { [name: string]: string };
  /** Where it listens. The first is the place of the proxy. */
  readonly places: { host: string; port: number }[];
}

/** `process.execve` is called experimental, and its warning would be part of the command's output. */
export function starterArguments(): readonly string[] {
  return [starterNode, '--no-warnings', '-e', starterScript];
}

/**
 * Runs inside the sandbox before the command, and becomes it. It opens the proxy's listening socket, which only a process
 * inside can do, and sends it out; from then on the engine answers there. It does the same, before that, at other places
 * where it can. When the engine has closed the channel, the
 * process replaces itself by the command, so that nothing is left inside that a command could attack.
 *
 * Node ignores SIGPIPE and SIGXFSZ, and a command would inherit that: a signal that is caught is reset instead.
 */
const starterScript = `
const { createServer } = process.getBuiltinModule('node:net');
const { accessSync, closeSync, constants, openSync, readSync, statSync, writeSync } = process.getBuiltinModule('node:fs');
const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
const isBare = (path) => {
  try {
    const file = openSync(path);
    const start = Buffer.alloc(4);
    readSync(file, start, 0, 4, 0);
    closeSync(file);
    return !start.toString('latin1').startsWith('#!') && start.toString('latin1') !== '\\x7fELF';
  } catch {
    return false;
  }
};
process.once('message', ({ argv, env, places }) => {
  const open = (index) => {
    if (index < 0) return;
    const listener = createServer();
    if (index > 0) listener.on('error', () => open(index - 1));
    listener.listen({ ...places[index], backlog: 128 }, () => process.send(index, listener, () => open(index - 1)));
  };
  open(places.length - 1);
  process.once('disconnect', () => {
    const { NODE_CHANNEL_FD, NODE_CHANNEL_SERIALIZATION_MODE, ...own } = process.env;
    const variables = { ...own, ...env };
    const [name] = argv;
    const folders = (variables.PATH ?? '/bin:/usr/bin').split(':');
    const program = (name.includes('/') ? [name] : folders.map((folder) => (folder || '.') + '/' + name)).find(isProgram);
    if (program === undefined) {
      writeSync(2, 'capstan: ' + name + ': no such program\\n');
      process.exit(127);
    }
    for (const signal of ['SIGPIPE', 'SIGXFSZ']) process.on(signal, () => {});
    if (isBare(program)) process.execve('/bin/sh', ['sh', program, ...argv.slice(1)], variables);
    process.execve(program, argv, variables);
  });
});
`;
