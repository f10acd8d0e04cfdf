// `config set | list`: the defaults of all contexts.

import { resourceIdProblem } from '../api/schema/ids.ts';
import { usageFailure } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { IN_HISTORY, looksLikeSecret, quote } from '../base/sanitize.ts';
import { notAmong } from '../base/suggestions.ts';
import type { Invocation, CommandSpec } from '../cli/command-spec.ts';
import { changeConfig } from '../config/file.ts';
import { findSetting, resolveSettings } from '../config/settings.ts';
import { printValue } from '../output/write-result.ts';

/** The settings that can be stored. */
const names = ['account', 'output', 'color', 'timeout', 'retries', 'utc', 'accessible'] as const;
type SettingName = (typeof names)[number];

/** The values of settings that are not set, in words. The account has none. */
const defaultValues: Readonly<Partial<Record<SettingName, string>>> = {
  output: 'table on a terminal, tsv in a pipe',
  color: 'auto',
  timeout: '30s',
  retries: '2',
};

const isSwitch = (setting: SettingName): setting is 'utc' | 'accessible' =>
  setting === 'utc' || setting === 'accessible';

export const configCommands: readonly CommandSpec[] = [
  {
    words: ['config', 'set'],
    summary: 'Set a value',
    effect: 'sets',
    operands: [
      { name: 'setting', description: 'Setting', values: names },
      { name: 'value', description: 'Value, e.g. 1m for timeout; "" unsets the setting' },
    ],
    examples: {
      'Print JSON by default': 'social config set output json',
      'Wait longer for each response': 'social config set timeout 1m',
      'Show exact times': 'social config set utc true',
      'Unset a value': 'social config set timeout ""',
    },
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

async function list(call: Invocation): Promise<void> {
  const rows = names.map((setting) => effective(setting, call));
  const more = call.flags['showOrigin'] === true ? ['origin'] : [];
  await printValue(call, ['setting', 'value', ...more], rows);
}

/** Returns the value of a setting in this call, and its source. */
function effective(setting: SettingName, { flags, runtime, settings, config }: Invocation) {
  const { stored } = settings;
  // A variable may turn a switch on by any word, so it is shown as `true` or `false`.
  const found = findSetting(setting, { raw: flags, env: runtime.env, stored, config });
  const value = isSwitch(setting)
    ? String(settings[setting])
    : (found?.text ?? defaultValues[setting]);
  return { setting, value, origin: found?.origin ?? 'default' };
}

async function set({ operands, runtime }: Invocation): Promise<void> {
  const [name, text] = operands;
  const setting = names.find((choice) => choice === name);
  if (setting === undefined) throw usageFailure(unknownSetting(name));
  if (text === undefined) throw usageFailure({ field: 'value', problem: 'is required' });
  if (text === '') {
    await changeConfig(runtime, (config) => ({ ...config, [setting]: undefined }));
    return runtime.note(`Unset ${setting}.`);
  }
  const problem = setting === 'account' ? resourceIdProblem(text) : undefined;
  if (problem !== undefined) throw usageFailure({ field: 'account', problem });
  if (isSwitch(setting) && !['true', 'false'].includes(text))
    throw usageFailure({ field: 'value', problem: `must be true or false, got ${quote(text)}` });
  const value = isSwitch(setting) ? text === 'true' : text;
  // The value is read as if it were stored, which finds its faults.
  const { faults } = resolveSettings({}, {}, { [setting]: value });
  if (faults.length > 0) throw usageFailure(faults);
  await changeConfig(runtime, (config) => ({ ...config, [setting]: value }));
  runtime.note(`Set ${setting} to ${quote(text)}.`);
}

/** Makes the fault of a word that is not a setting, without showing a secret in its place. */
function unknownSetting(word: string | undefined): Fault {
  const fault = notAmong('setting', word, names);
  const isSecret = word !== undefined && looksLikeSecret(word);
  return isSecret ? { ...fault, fix: IN_HISTORY, among: undefined } : fault;
}
