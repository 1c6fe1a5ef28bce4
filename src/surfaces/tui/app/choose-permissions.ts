import { ListView } from '../views/list-view.ts';
import { type PermissionPreset, permissionPresets, presetOf } from '../views/permission-presets.ts';
import type { CommandSession } from '../commands/command-session.ts';
import { refuseWords } from '../commands/refuse-words.ts';

/** `/permissions`: what may be done without a question, from the next turn on. By its name, or from a list. */
export function choosePermissions(session: CommandSession, name: string): void {
  const { stage } = session.parts;
  if (name !== '') {
    const named = permissionPresets.find(({ label }) => label.toLowerCase() === name.toLowerCase());
    if (named !== undefined) return choose(session, named);
    const labels = permissionPresets.map(({ label }) => label).join(', ');
    return refuseWords(session, `/permissions ${name}`, `There are no permissions ${name}. Use one of ${labels}.`);
  }
  const { settings, turnSettings = settings } = session.thread;
  const [current, next] = [presetOf(turnSettings), presetOf(settings)];
  const items = permissionPresets.map((preset) => ({
    ...preset,
    about: preset === next && next !== current ? `(next turn) ${preset.about}` : preset.about,
    isCurrent: preset === current,
  }));
  stage.open(
    new ListView({
      title: 'Permissions',
      items,
      close: () => stage.open(undefined),
      pick: (index) => choose(session, permissionPresets[index]!),
    }),
  );
}

/** Back and forth between the first two. Full access is not one key away: it is chosen from the list. */
export function nextPermissions(session: CommandSession): void {
  const [ask, readOnly] = permissionPresets;
  choose(session, presetOf(session.thread.settings) === ask ? readOnly! : ask!);
}

function choose(session: CommandSession, preset: PermissionPreset): void {
  const { stage } = session.parts;
  const close = (): void => stage.open(undefined);
  const take = async (taken: PermissionPreset): Promise<void> => {
    close();
    const isChanged = await session.change({
      sandbox: taken.sandbox,
      approvals: taken.approval,
      reviewer: taken.reviewer,
    });
    if (isChanged) session.notice(`Permissions: ${taken.label}. They hold from the next turn on.`);
  };
  if (preset.sandbox !== 'danger-full-access') return session.inBackground(take(preset));
  const items = [
    { label: 'No', about: 'keep the permissions as they are' },
    { label: 'Yes', about: 'commands may change and send anything that you may' },
  ];
  stage.open(
    new ListView({
      title: 'Full access?',
      items,
      close,
      pick: (index) => (index === 1 ? session.inBackground(take(preset)) : close()),
    }),
  );
}
