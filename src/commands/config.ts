// `config set | list`: the defaults of all contexts.

import type { Example } from '../api/operations/define-operation.ts';
import { resourceIdFault } from '../api/schema/ids.ts';
import { usageFailure } from '../base/errors.ts';
import { IN_HISTORY, looksLikeSecret, quote } from '../base/sanitize.ts';
import { notAmong } from '../base/suggestions.ts';
import type { Call, CommandSpec } from '../cli/command-spec.ts';
import { changeConfig } from '../config/file.ts';
import { findSetting, resolveSettings } from '../config/settings.ts';
import { printRows } from '../output/write-result.ts';

interface Settable {
  /** The default value. */
  readonly usual?: string;
  /** True if its value is true or false. */
  readonly isSwitch?: true;
  readonly example: Example;
}

/** The settings that can be stored. */
const settable: Readonly<Record<string, Settable>> = {
  account: {
    example: ['Set a default account', 'social config set account AccountMastodonA'],
  },
  output: {
    usual: 'table on a terminal, tsv in a pipe',
    example: ['Print JSON by default', 'social config set output json'],
  },
  color: {
    usual: 'auto',
    example: ['Never use colour', 'social config set color never'],
  },
  timeout: {
    usual: '30s',
    example: ['Wait longer for each response', 'social config set timeout 1m'],
  },
  retries: {
    usual: '2',
    example: ['Never retry', 'social config set retries 0'],
  },
  utc: {
    isSwitch: true,
    example: ['Show exact times', 'social config set utc true'],
  },
  accessible: {
    isSwitch: true,
    example: ['Use screen-reader mode', 'social config set accessible true'],
  },
};

const names = Object.keys(settable);
const settingOperand = { name: 'setting', description: 'Setting', values: names };

export const configCommands: readonly CommandSpec[] = [
  {
    words: ['config', 'set'],
    summary: 'Set a value',
    effect: 'sets',
    operands: [
      settingOperand,
      { name: 'value', description: 'Value, e.g. 1m for timeout; "" unsets the setting' },
    ],
    examples: [
      ...Object.values(settable).map(({ example }) => example),
      ['Unset a value', 'social config set timeout ""'],
    ],
    // A stored value may be invalid: this command corrects it.
    config: 'none',
    run: set,
  },
  {
    words: ['config', 'list'],
    summary: 'List the settings and their values',
    flags: [{ flags: '--show-origin', description: 'Also show where each value comes from' }],
    example: 'social config list --show-origin',
    run: list,
  },
];

function settingOf({ operands: [setting] }: Call): string {
  if (setting !== undefined && Object.hasOwn(settable, setting)) return setting;
  const fault = notAmong('setting', setting, names);
  const isSecret = setting !== undefined && looksLikeSecret(setting);
  throw usageFailure(isSecret ? { ...fault, fix: IN_HISTORY, among: undefined } : fault);
}

/** Returns the value of a setting in this call, and its source. */
function effective(setting: string, { flags, runtime, settings, config }: Call) {
  const { isSwitch, usual } = settable[setting]!;
  const { stored } = settings;
  const found = findSetting(setting, { raw: flags, env: runtime.env, stored, config });
  const value = isSwitch ? String(settings[setting as 'utc' | 'accessible']) : found?.text;
  return { setting, value: value ?? usual, origin: found?.from ?? 'default' };
}

async function list(call: Call): Promise<void> {
  const rows = names.map((setting) => effective(setting, call));
  const more = call.flags['showOrigin'] === true ? ['origin'] : [];
  await printRows(call, ['setting', 'value', ...more], rows);
}

async function set(call: Call): Promise<void> {
  const setting = settingOf(call);
  const [, text] = call.operands;
  if (text === undefined) throw usageFailure({ field: 'value', problem: 'is required' });
  if (text === '') {
    await changeConfig(call.runtime, (config) => ({ ...config, [setting]: undefined }));
    return call.runtime.note(`Unset ${setting}.`);
  }
  if (setting === 'account') checkAccount(text);
  const value = settable[setting]!.isSwitch ? switchOf(text) : text;
  const { faults } = resolveSettings({}, {}, { [setting]: value });
  if (faults.length > 0) throw usageFailure(faults);
  await changeConfig(call.runtime, (config) => ({ ...config, [setting]: value }));
  call.runtime.note(`Set ${setting} to ${quote(String(value))}.`);
}

function checkAccount(id: string): void {
  const problem = resourceIdFault(id);
  if (problem === undefined) return;
  throw usageFailure({ field: 'account', problem });
}

function switchOf(text: string): boolean {
  if (['true', 'false'].includes(text)) return text === 'true';
  throw usageFailure({ field: 'value', problem: `must be true or false, got ${quote(text)}` });
}
