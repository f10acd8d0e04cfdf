// What a connection would go by: certificate authorities and a proxy. Connects to nothing.

import { isLoopbackHost } from '../../schema/address.ts';
import { pemFrom, proxyFrom } from '../connection.ts';
import { failed, ok, warn, type Examination, type Finding } from './finding.ts';

export const proxy: Examination = async ({ world, settings: { baseUrl } }) => {
  const { env } = world;
  const name = ['https_proxy', 'HTTPS_PROXY'].find((each) => (env[each] ?? '') !== '');
  if (name === undefined) return [ok('proxy', 'none')];
  try {
    const found = await proxyFrom(world);
    const passed = baseUrl !== undefined && isLoopbackHost(new URL(baseUrl).hostname);
    const except = env['no_proxy'] || env['NO_PROXY'];
    const not = except ? `, not for ${except}` : '';
    return [
      ok('proxy', passed ? 'not used for this machine' : `${found!.host}, from ${name}${not}`),
    ];
  } catch (error) {
    return [failed('proxy', error, `unset ${name}`)];
  }
};

export const certificates: Examination = async ({ world, settings }) => {
  const { env } = world;
  const extra = env['NODE_EXTRA_CA_CERTS'];
  // With the flag its authorities count alone.
  const files =
    settings.cacert === undefined
      ? extra
        ? [[extra, 'unset NODE_EXTRA_CA_CERTS'] as const]
        : []
      : [[settings.cacert, undefined] as const];
  const bad: Finding[] = [];
  for (const [path, fix] of files) {
    try {
      await pemFrom(path, world);
    } catch (error) {
      bad.push(failed('certificates', error, fix));
    }
  }
  const unchecked =
    env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
      ? [
          warn(
            'certificates',
            'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always checked',
            'unset NODE_TLS_REJECT_UNAUTHORIZED',
          ),
        ]
      : [];
  const good =
    settings.cacert === undefined
      ? ['Node’s own authorities', ...files.map(([path]) => path)].join(' and ')
      : `${settings.cacert} alone`;
  return bad.length + unchecked.length > 0 ? [...bad, ...unchecked] : [ok('certificates', good)];
};
