// The channels and roles of the sandbox's Discord guild.

import type { Kinds } from '../kinds.ts';
import { samples } from './samples.ts';

const { guildId } = samples;

type Channel = Kinds['guild']['channels'][number];

const channel = (
  id: string,
  name: string,
  position: number,
  rest: Partial<Channel> = {},
): Channel => ({
  id,
  guildId,
  name,
  type: 'guild_text',
  position,
  manageable: true,
  postable: true,
  threadOnly: false,
  selected: false,
  availableTags: [],
  ...rest,
});

export const channels: readonly Channel[] = [
  channel(samples.channelId, 'announcements', 0, {
    parentId: '112233445566778800',
    selected: true,
  }),
  channel('112233445566778901', 'お知らせ-日本', 1, { parentId: '112233445566778800' }),
  channel('112233445566778902', 'brew-questions', 2, {
    type: 'guild_forum',
    threadOnly: true,
    availableTags: [
      { id: '1', name: 'Espresso', moderated: false },
      { id: '2', name: 'Answered', moderated: true },
    ],
  }),
  channel('112233445566778903', 'staff', 3, { postable: false }),
];

type Role = Kinds['guild']['roles'][number];

const role = (
  id: string,
  name: string,
  position: number,
  color: number,
  rest: Partial<Role> = {},
): Role => ({
  id,
  guildId,
  name,
  color,
  position,
  managed: false,
  mentionable: false,
  permissions: '1071698660929',
  ...rest,
});

export const roles: readonly Role[] = [
  role(guildId, '@everyone', 0, 0),
  role('334455667788990001', 'Regulars ☕', 1, 0xc27c0e, { mentionable: true }),
  role('334455667788990002', 'Baristas', 2, 0x1f8b4c, { mentionable: true }),
  role('334455667788990003', 'Riverbank Publisher', 3, 0, { managed: true, permissions: '8' }),
];
