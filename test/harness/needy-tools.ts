import type { PreparedCall, Tool } from '../../src/adapters/tools/tool.ts';

/** A tool whose calls need what the test says. */
export function needy(name: string, more: Partial<PreparedCall> = {}): Tool {
  return {
    name,
    spec: { type: 'function', name, parameters: {} },
    prepare: ({ callId }) => {
      const item = { kind: 'tool-call', id: callId, tool: name, arguments: {}, status: 'in-progress' } as const;
      const run = () => Promise.resolve({ output: `${name} ran`, item: { ...item, status: 'completed' as const } });
      return { kind: 'prepared', item, needs: {}, run, ...more };
    },
  };
}

/** A tool that asks to leave the sandbox for each command, and notes those that ran and what they ran under. */
export function escalating(ran: string[] = [], more: Partial<PreparedCall> = {}): Tool & { readonly ran: string[] } {
  const tool = needy('reach');
  return {
    ...tool,
    ran,
    prepare: ({ callId, input }) => {
      const { cmd, plain } = JSON.parse(input) as { cmd: string; plain?: true };
      const item = { kind: 'command', id: callId, argv: ['sh', '-c', cmd], cwd: '/repo', output: '' } as const;
      const run: PreparedCall['run'] = ({ policy }) => {
        ran.push(`${cmd} ${policy.enforcement}`);
        return Promise.resolve({ output: `did ${cmd}`, item: { ...item, status: 'completed' } });
      };
      const { argv, cwd } = item;
      const needs =
        plain === true ? {} : ({ effect: 'program', argv, cwd, escalation: { reason: 'why not' } } as const);
      return { kind: 'prepared', item: { ...item, status: 'in-progress' }, needs, run, ...more };
    },
  };
}

/** A tool whose commands the sandbox stops, so that another try outside of it is asked about. */
export function stoppedOnce(ran: string[] = []): Tool {
  const argv = ['sh', '-c', 'touch /etc/x'];
  const item = { kind: 'command', id: 'stopped', argv, cwd: '/repo', output: '', status: 'in-progress' } as const;
  const blocked = [{ path: '/etc/x', access: 'write' }] as const;
  const run: PreparedCall['run'] = ({ policy }) => {
    ran.push(policy.enforcement);
    return Promise.resolve({ output: 'Read-only file system', item: { ...item, status: 'failed' }, blocked });
  };
  return needy('reach', { item, needs: { effect: 'program', argv, cwd: '/repo' }, run });
}

/** Commands that are named `stopped` are stopped by the sandbox: another try is asked about, in the same call. */
export function stoppable(tool: Tool): Tool {
  return {
    ...tool,
    prepare: async (call, step) => {
      const prepared = await tool.prepare(call, step);
      if (prepared.kind === 'refused' || !call.input.includes('stopped')) return prepared;
      const { item } = prepared;
      if (item.kind !== 'command') return prepared;
      const { argv, cwd } = item;
      const run: PreparedCall['run'] = async (running) => {
        const end = await prepared.run(running);
        if (running.policy.enforcement === 'disabled') return end;
        return { ...end, blocked: [{ path: '/etc/x', access: 'write' }] };
      };
      return { ...prepared, needs: { effect: 'program', argv, cwd }, run };
    },
  };
}

/** Commands that are named `host` connect to one while they run, and note that the connection was let through. */
export function connectable(tool: Tool, note: (effect: string) => unknown): Tool {
  return {
    ...tool,
    prepare: async (call, step) => {
      const prepared = await tool.prepare(call, step);
      if (prepared.kind === 'refused' || prepared.item.kind !== 'command') return prepared;
      const { item } = prepared;
      const { argv, cwd } = item;
      const cmd = argv.at(-1) ?? '';
      if (!cmd.startsWith('host')) return prepared;
      const run: PreparedCall['run'] = async ({ answerHost, signal }) => {
        const name = `${cmd.replace(' ', '-')}.test`;
        const given = await answerHost!({ name, port: 443, protocol: 'https' }, signal);
        if (given === 'allowed') note(`${cmd} open`);
        return { output: `${cmd} ${given}`, item: { ...item, status: 'completed' } };
      };
      return { ...prepared, needs: { effect: 'program', argv, cwd }, run };
    },
  };
}
