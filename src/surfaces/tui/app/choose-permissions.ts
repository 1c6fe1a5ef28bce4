import { approvalName } from '../../../policy/approval-policy.ts';
import { sandboxLevelOf } from '../../../policy/describe-policy.ts';
import { policyInForce } from '../../wording/policy-in-force.ts';
import { ListView } from '../views/list-view.ts';
import type { TuiSession } from './session.ts';

const presets = [
  {
    label: 'Ask',
    about: 'work in this folder; ask before commands that need more',
    sandbox: 'workspace-write',
    approval: 'on-request',
  },
  { label: 'Read only', about: 'ask before every change', sandbox: 'read-only', approval: 'on-request' },
  {
    label: 'Full access',
    about: 'no sandbox and no questions: only where something else isolates Capstan',
    sandbox: 'danger-full-access',
    approval: 'never',
  },
] as const;

/** `/permissions`: what may be done without a question, from the next turn on. */
export function choosePermissions(session: TuiSession): void {
  const { stage } = session.parts;
  const { settings } = session.thread;
  const [level, approval] = [sandboxLevelOf(policyInForce(settings)), approvalName(settings.approval)];
  const close = (): void => stage.open(undefined);
  const take = async (preset: (typeof presets)[number]): Promise<void> => {
    close();
    const isChanged = await session.change({ sandboxMode: preset.sandbox, approval: preset.approval });
    if (isChanged) session.notice(`Permissions: ${preset.label}. They hold from the next turn on.`);
  };
  const confirm = (preset: (typeof presets)[number]): void => {
    const items = [
      { label: 'No', about: 'keep the permissions as they are' },
      { label: 'Yes', about: 'commands may change and send anything that you may' },
    ];
    stage.open(
      new ListView({
        title: 'Full access?',
        items,
        close,
        pick: (index) => void (index === 1 ? take(preset) : close()),
      }),
    );
  };
  const items = presets.map((preset) => ({
    ...preset,
    isCurrent: preset.sandbox === level && preset.approval === approval,
  }));
  stage.open(
    new ListView({
      title: 'Permissions',
      items,
      close,
      pick(index) {
        const preset = presets[index]!;
        if (preset.sandbox === 'danger-full-access') confirm(preset);
        else void take(preset);
      },
    }),
  );
}
