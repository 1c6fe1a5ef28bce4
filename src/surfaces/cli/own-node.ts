/** By a name that the bundler does not follow: what it makes of an import of Node's own needs a newer Node than this. */
const load = <Module>(name: string): Promise<Module> => import(name) as Promise<Module>;

/**
 * Runs this command with the Node of the clone that it is linked to, and ends as that ends. Gives nothing where there is
 * no such Node: an installed package has none.
 */
export async function runOnOwnNode(node: string): Promise<number | undefined> {
  const { existsSync } = await load<typeof import('node:fs')>('node:fs');
  if (!existsSync(node)) return undefined;
  const { spawn } = await load<typeof import('node:child_process')>('node:child_process');
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends this one to both processes, and a second one would cut the turn off. A program sends it to one.
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => void (isOnTerminal || child.kill('SIGINT')));
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== null) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      }
      resolve(code ?? 1);
    });
  });
}
