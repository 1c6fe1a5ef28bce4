import { homedir } from 'node:os';
import { isJsonObject } from '../../protocol/json.ts';
import { loadConfigured } from '../engine/configured.ts';
import { currentFolder } from '../terminal/current-folder.ts';
import { lostAsValue } from '../terminal/lost-as-value.ts';
import { print } from '../terminal/print.ts';

/** Names that no shell takes for anything but a word. */
const plainName = /^\w[\w.-]*$/;

/** `capstan complete-profiles`. Reports no problem: the shell would show it in the middle of what the user types. */
export async function run(): Promise<number> {
  const here = currentFolder();
  if ('code' in here) return 0;
  const choices = { env: process.env, osHome: homedir(), cwd: here.path };
  const configured = await lostAsValue(async () => loadConfigured(here.path, choices));
  if ('code' in configured) return 0;
  const { permissions } = configured.effective.values;
  const names = isJsonObject(permissions) ? Object.keys(permissions).filter((name) => plainName.test(name)) : [];
  print(names.map((name) => `${name}\n`).join(''), 'text');
  return 0;
}
