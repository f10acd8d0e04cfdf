// `config get | set | unset | list | path`: the defaults that hold in every context.

import type { Command } from 'commander';
import { usageFailure } from '../base/errors.ts';
import { quote } from '../base/sanitize.ts';
import { IN_HISTORY, looksLikeSecret, quoteUnlessSecret } from '../base/secret-words.ts';
import { withSuggestions } from '../base/suggestions.ts';
import { makeGroup } from '../cli/command-group.ts';
import { addLocalCommand, type LocalCall } from '../cli/local-command.ts';
import { changeConfig, configPath } from '../config/file.ts';
import { globalFlags } from '../config/flags.ts';
import { settingOrigins, resolveSettings } from '../config/settings.ts';
import { printLine, printRows } from '../output/write-result.ts';
import type { CommandContext } from '../cli/command-context.ts';

/** The settings that can be kept, with what each does when it is not set. */
const settable: Readonly<Record<string, { kind: 'text' | 'switch'; usual: string }>> = {
  account: { kind: 'text', usual: '' },
  output: { kind: 'text', usual: 'table on a terminal, tsv in a pipe' },
  color: { kind: 'text', usual: 'auto' },
  timeout: { kind: 'text', usual: '30s' },
  retries: { kind: 'text', usual: '2' },
  utc: { kind: 'switch', usual: 'false' },
  accessible: { kind: 'switch', usual: 'false' },
};

const settingOperand = {
  name: 'setting',
  description: Object.keys(settable).join(', '),
  values: Object.keys(settable),
};

export function add(program: Command, commandContext: CommandContext): void {
  const group = makeGroup(program, 'config', 'Defaults that hold in every context');
  const names = `Settings: ${Object.keys(settable).join(', ')}.`;
  addLocalCommand(
    group,
    {
      word: 'get',
      summary: 'Show the value of a setting',
      details: names,
      operands: [settingOperand],
      example: 'social config get timeout',
    },
    commandContext,
    get,
  );
  addLocalCommand(
    group,
    {
      word: 'set',
      summary: 'Keep a value for a setting',
      details: names,
      operands: [settingOperand, 'value'],
      example: 'social config set timeout 1m',
      // What is kept may be of no use: this is what mends it.
      config: 'none',
    },
    commandContext,
    set,
  );
  addLocalCommand(
    group,
    {
      word: 'unset',
      summary: 'Forget the value of a setting',
      operands: [settingOperand],
      example: 'social config unset timeout',
      config: 'none',
    },
    commandContext,
    unset,
  );
  addLocalCommand(
    group,
    {
      word: 'list',
      summary: 'List the settings and their values',
      options: [{ flags: '--show-origin', description: 'Also where each value comes from' }],
      example: 'social config list --show-origin',
    },
    commandContext,
    list,
  );
  addLocalCommand(
    group,
    {
      word: 'path',
      summary: 'Show where settings are kept',
      config: 'none',
      example: 'social config path',
    },
    commandContext,
    (call) => printLine(call, configPath(call.runtime)),
  );
}

async function settingOf({ operands: [setting] }: LocalCall): Promise<string> {
  if (setting !== undefined && Object.hasOwn(settable, setting)) return setting;
  const secret = setting !== undefined && looksLikeSecret(setting);
  const problem =
    setting === undefined ? 'is required' : `is not known: ${quoteUnlessSecret(setting)}`;
  if (secret) throw usageFailure([{ field: 'setting', problem, fix: IN_HISTORY }]);
  const choices = Object.keys(settable);
  const fix = `there are: ${choices.join(', ')}`;
  const among = { typed: setting ?? '', choices };
  throw usageFailure(await withSuggestions([{ field: 'setting', problem, fix, among }]));
}

interface Row {
  readonly setting: string;
  readonly value: string | undefined;
  readonly origin: string;
}

/** What a setting comes to in this call, and from where. */
function effective(setting: string, { flags, runtime, settings, config }: LocalCall): Row {
  const known = globalFlags.find(({ key }) => key === setting)!;
  if (settable[setting]!.kind === 'switch') {
    const fromEnv = known.env !== undefined && (runtime.env[known.env] ?? '') !== '';
    const origin =
      flags[setting] === true
        ? 'flag'
        : fromEnv
          ? 'environment'
          : config[setting] === undefined
            ? 'default'
            : 'config';
    return {
      setting,
      value: String(setting === 'utc' ? settings.utc : settings.accessible),
      origin,
    };
  }
  const given = settingOrigins(setting, {
    raw: flags,
    env: runtime.env,
    stored: settings.stored,
    config,
  });
  return {
    setting,
    value: given?.text ?? (settable[setting]!.usual || undefined),
    origin: given?.from ?? 'default',
  };
}

async function get(call: LocalCall): Promise<void> {
  const row = effective(await settingOf(call), call);
  // A person who asks for one value wants no more than that.
  if (call.form === 'table') await printLine(call, row.value ?? '-');
  else await printRows(call, ['value'], [row], row);
}

async function list(call: LocalCall): Promise<void> {
  const rows = Object.keys(settable).map((setting) => effective(setting, call));
  const columns =
    call.flags['showOrigin'] === true ? ['setting', 'value', 'origin'] : ['setting', 'value'];
  await printRows(call, columns, rows);
}

async function set(call: LocalCall): Promise<void> {
  const setting = await settingOf(call);
  const [, text] = call.operands;
  if (text === undefined) throw usageFailure([{ field: 'value', problem: 'is required' }]);
  const value = settable[setting]!.kind === 'switch' ? switchOf(text) : text;
  const { faults } = resolveSettings({}, {}, { [setting]: value });
  if (faults.length > 0) throw usageFailure(await withSuggestions(faults));
  await changeConfig(call.runtime, (config) => ({ ...config, [setting]: value }));
  await call.runtime.stderr.write(call.settings.quiet ? '' : `${setting} is ${String(value)}\n`);
}

function switchOf(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw usageFailure([{ field: 'value', problem: `must be true or false, got ${quote(text)}` }]);
}

async function unset(call: LocalCall): Promise<void> {
  const setting = await settingOf(call);
  await changeConfig(call.runtime, (config) => ({ ...config, [setting]: undefined }));
  await call.runtime.stderr.write(call.settings.quiet ? '' : `${setting} is no longer set\n`);
}
