import { join } from 'node:path';
import { piSessionText } from '../history/pi-session.ts';
import { peersFolder } from '../peers.ts';
import { plainEnvironment } from '../process/command.ts';
import { type Contender, modelName, providerName, words } from './contender.ts';

export const piProgram = join(peersFolder, 'node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js');

const sessionName = 'sessions/prepared.jsonl';

/** Has no sandbox: its commands run as they are. */
export const pi: Contender = {
  id: 'pi',
  name: 'pi (no sandbox)',
  call: { tool: 'bash', arguments: { command: 'true' } },
  succeeded: (output) => output === '(no output)',
  prepare({ place, modelUrl, history }) {
    const models = [{ id: modelName, contextWindow: 100_000_000, maxTokens: 100_000 }];
    const provider = { baseUrl: modelUrl, api: 'openai-responses', apiKey: 'none', models };
    place.write('models.json', JSON.stringify({ providers: { [providerName]: provider } }));
    place.write('settings.json', JSON.stringify({ compaction: { enabled: false } }));
    if (history !== undefined) place.write(sessionName, piSessionText(history.thread, history.exchanges));
  },
  turn({ place, history }) {
    const session = history === undefined ? [] : ['--session', join(place.home, sessionName)];
    return {
      program: process.execPath,
      arguments: [
        piProgram,
        '--mode',
        'json',
        '--provider',
        providerName,
        '--model',
        modelName,
        ...session,
        '-p',
        words,
      ],
      env: { ...plainEnvironment(place.osHome), PI_CODING_AGENT_DIR: place.home, PI_OFFLINE: '1' },
      cwd: place.workspace,
    };
  },
};
