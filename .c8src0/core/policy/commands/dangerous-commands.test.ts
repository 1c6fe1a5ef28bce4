import { describe, expect, it } from 'vitest';
import { windowsDanger } from './dangerous-commands.ts';

const powershell = (script: string) => windowsDanger(['powershell.exe', '-NoProfile', '-Command', script]);
const cmd = (...words: readonly string[]) => windowsDanger(['cmd', '/c', ...words]);

describe('PowerShell', () => {
  it.each([
    'Remove-Item -Recurse -Force x',
    'rm x -fo',
    'ls; ri -Force x',
    'if ($a) { del -Force x }',
    "'rm' -force x",
  ])('removes by force: %s', (script) => expect(powershell(script)).toBe('forced-removal'));
  it.each(['Start-Process https://x.y', 'ii "https://x.y"', 'explorer.exe http://x', 'msedge https://x'])(
    'opens an address: %s',
    (script) => expect(powershell(script)).toBe('destructive'),
  );
  it.each(['Remove-Item x', 'Get-Item -Force x', "Write-Output 'Remove-Item -Force x'", 'Start-Process notepad'])(
    'does neither: %s',
    (script) => expect(powershell(script)).toBeUndefined(),
  );
});

describe('cmd', () => {
  it.each([['del /f x'], ['erase', '/F', 'x'], ['dir & rd /s /q x'], ['rmdir', '/q', '/s', 'x']])(
    'removes by force: %s %s',
    (...words) => expect(cmd(...words)).toBe('forced-removal'),
  );
  it.each([['start https://x.y'], ['dir && mshta http://x']])('opens an address: %s', (...words) =>
    expect(cmd(...words)).toBe('destructive'),
  );
  it.each([['del x'], ['rd /s x'], ['start notepad'], ['echo del /f x']])('does neither: %s', (...words) =>
    expect(cmd(...words)).toBeUndefined(),
  );
});
