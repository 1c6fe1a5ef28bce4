import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { whenTestEnds } from './when-test-ends.ts';

/** Repositories of a folder, served on the loopback for reading and writing. Gives the address before their names. */
export async function serveRepositories(folder: string): Promise<string> {
  const port = await freePort();
  const serves = ['daemon', '--export-all', '--enable=receive-pack', '--reuseaddr', '--listen=127.0.0.1'];
  const daemon = spawn('git', [...serves, `--port=${port}`, `--base-path=${folder}`, folder], { stdio: 'ignore' });
  whenTestEnds(() => void daemon.kill());
  for (let tries = 0; tries < 200 && !(await answers(port)); tries++) await new Promise((done) => setTimeout(done, 25));
  return `git://127.0.0.1:${port}`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('connect', end(true)).on('error', end(false));
  });
}
