// Every error and note of the program stands on one page, and phrases that were hard to read do not come back.

import { expect, it } from 'vitest';
import { messagesPage } from '../../tools/docs/messages-md.ts';

it('the page of messages', async () => {
  await expect(messagesPage()).toMatchFileSnapshot('../../docs/messages.md');
});
