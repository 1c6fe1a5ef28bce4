import type { TuiSession } from '../session/session.ts';
import type { AgentNode } from '../../../engine/agents/read-agent-tree.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { compactNumber } from '../screen/text/format-values.ts';
import { openList } from '../pages/list-view.ts';
import { PagerView } from '../pages/pager-view.ts';
import { agentName } from '../session/session.ts';

/** `/agents`: the agents of this thread. Enter reads one, `s` stops it. */
export async function showAgents(session: TuiSession): Promise<void> {
  const { stage } = session.parts;
  let listed = await agentsOf(session);
  if (listed.length === 0) return session.notice(await whyNone(session));
  const items = () =>
    listed.map(({ path, role = 'default', status, used }) => {
      const about = [status, ...(role === 'default' ? [] : [role]), `${compactNumber(used)} tokens`];
      return { label: agentName(path), about: about.join(' - ') };
    });
  const run = (work: Promise<void>): void => session.inBackground(work);
  const view = openList(stage, {
    title: 'Agents of this conversation',
    items: items(),
    hint: (key) =>
      `${key('Enter')} reads what one does, ${key('s')} stops it, ${key('r')} looks again, ${key('Esc')} goes back`,
    keys: { s: (index) => run(stop(session, listed[index]!).then(look)), r: () => run(look()) },
    pick: (index) => showAgent(session, listed, index),
  });
  const look = async (): Promise<void> => {
    listed = await agentsOf(session);
    view.update({ items: items() });
    stage.draw();
  };
}

/** Shows the next or previous agent of this thread, starting from the conversation. */
export async function showNextAgent(session: TuiSession, by: 1 | -1): Promise<void> {
  const listed = await agentsOf(session);
  if (listed.length === 0) return session.notice(await whyNone(session));
  showAgent(session, listed, by === 1 ? 0 : listed.length - 1);
}

/** In start order, each agent before its own agents. */
async function agentsOf(session: TuiSession): Promise<readonly AgentNode[]> {
  const { id, place } = session.thread;
  if (place === undefined) return [];
  const below = ({ agents: own }: AgentNode): readonly AgentNode[] => own.flatMap((each) => [each, ...below(each)]);
  return below(await session.parts.engine.stored.agents(id));
}

async function whyNone({ thread }: TuiSession): Promise<string> {
  const { isGateOpen } = await import('../../../core/config/features.ts');
  const isOn = isGateOpen('multi_agent', thread.settings.features);
  return isOn
    ? 'This conversation has started no agents.'
    : 'This conversation cannot start agents. Switch them on with `capstan features enable multi_agent`.';
}

async function stop(session: TuiSession, { id, path }: AgentNode): Promise<void> {
  const ended = await session.parts.threads.loaded.find((thread) => thread.id === id)?.interrupt();
  const name = agentName(path);
  session.notice(ended?.kind === 'interrupted' ? `Stopped the agent ${name}.` : `The agent ${name} does nothing now.`);
}

function showAgent(session: TuiSession, listed: readonly AgentNode[], index: number): void {
  const { stage } = session.parts;
  const agent = listed[index]!;
  const shown = session.readThread(agent.id);
  const leave = (): void => {
    shown.close();
    stage.openPager(undefined);
  };
  const step = (to: number): void => {
    if (listed[to] === undefined) return leave();
    shown.close();
    showAgent(session, listed, to);
  };
  stage.openPager(
    new PagerView({
      title: cleanLine(`Agent ${agentName(agent.path)} (${index + 1} of ${listed.length}, ${agent.status})`),
      rows: (look) => shown.rows(look),
      startsAtEnd: true,
      hint: 'alt+left, alt+right show others · s stops it · ',
      keys: {
        'alt+right': () => step(index + 1),
        'alt+left': () => step(index - 1),
        s: () => session.inBackground(stop(session, agent)),
      },
      close: leave,
    }),
  );
}
