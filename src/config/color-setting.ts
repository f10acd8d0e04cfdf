// The colour of help and errors by the settings, read without the rules of all settings: to make these takes a third of
// the time in which a terminal shows the help.

import { join } from 'node:path';
import { ifPossible } from '../base/errors.ts';
import { fileNames } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import { type ColorChoice, colorChoices } from './choices.ts';
import { CONFIG_FORMAT, parseTrustedObject, readTrustedText } from './trusted-file.ts';

/** The colour that the settings choose; nothing where they choose none, or cannot be read. */
export const colorSetting = (runtime: Runtime): ColorChoice | undefined =>
  ifPossible(() => {
    const path = join(runtime.configDir(), fileNames.config);
    const text = readTrustedText(path, runtime) ?? '{}';
    const { color } = parseTrustedObject(text, path, CONFIG_FORMAT);
    return colorChoices.find((choice) => choice === color);
  });
